/** Makes every client of docs/clients.md and pays with it: checks.ts folder url-of-a-sandbox. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods, type PathItem } from '../../openapi/document.ts'
import { check, finish, since } from '../support/suite.ts'
import {
  type Client,
  clients,
  documentedCommands,
  generatorLine,
  NotInstalled,
  payWith,
  Workshop,
} from './clients.ts'

const [work, url] = process.argv.slice(2) as [string, string]

const there = (command: string) => spawnSync('sh', ['-c', command]).status === 0

function attempt<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    return error as Error
  }
}

async function checkClient(client: Client): Promise<void> {
  const name = `${client.release}: ${client.command.trim()}`
  const missing = client.needs.find((command) => !there(command))
  if (missing) return console.log(`skipped ${name}: ${missing} fails on this machine`)
  const from = performance.now()
  const paid = attempt(() => payWith(client, work, url))
  if (paid instanceof NotInstalled)
    return console.log(`skipped ${name}: it could not be installed: ${paid.message}`)
  await check(name, () => {
    if (paid instanceof Error) throw paid
    assert.equal(paid.trim().toLowerCase(), 'success success')
    return since(from)
  })
}

/** Languages whose clients lost operations while webhooks shared tags with paths. */
const languages = [
  'java',
  'go',
  'kotlin',
  'python',
  'csharp',
  'php',
  'ruby',
  'dart',
  'rust',
  'typescript-fetch',
]

/** Every operation of the description has a function in each language, in the release before as well. */
function functionsOfEveryLanguage(): void {
  const workshop = new Workshop(work, 'languages')
  const line = generatorLine(work, 'openapi-generator before').split(' ')
  const generate = (...args: string[]) => workshop.run(line[0]!, ...line.slice(1), ...args)
  const files = languages.map((language) => {
    const file = join(workshop.folder, `${language}.json`)
    writeFileSync(
      file,
      JSON.stringify({
        generatorName: language,
        inputSpec: `${url}/openapi.json`,
        outputDir: join(workshop.folder, language),
      }),
    )
    return file
  })
  generate('batch', '--fail-fast', ...files)
  const { paths } = JSON.parse(readFileSync('src/generated/service/openapi.json', 'utf8'))
  const ids = Object.values<PathItem>(paths).flatMap((item) =>
    methods.flatMap((each) => item[each]?.operationId ?? []),
  )
  assert.ok(ids.length > 10)
  for (const language of languages) {
    const folder = new Workshop(workshop.folder, language)
    const sources = folder
      .sources('')
      .filter((file) => /api/i.test(file) && !/docs?\/|test|\.(md|ya?ml|json)$/i.test(file))
    const text = sources
      .flatMap((file) => attempt(() => readFileSync(join(folder.folder, file), 'utf8')))
      .join('\n')
    const names = text.toLowerCase().replaceAll('_', '')
    const lost = ids.filter((id) => !names.includes(`${id.toLowerCase()}(`))
    assert.deepEqual(lost, [], `${language} has no ${lost.join(', ')}`)
  }
}

for (const client of clients) await checkClient(client)
await check('every command of docs/clients.md is run', () => {
  const commands = clients.map(({ command }) => command)
  const untried = documentedCommands.filter((line) => !commands.some((each) => line.startsWith(each)))
  assert.deepEqual(untried, [])
})
if (there('java -version && mvn -version'))
  await check(
    `every operation in ${languages.length} languages of the release before`,
    functionsOfEveryLanguage,
  )
finish()
