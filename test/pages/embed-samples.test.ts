import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { languages } from '../../embed/samples/languages.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'samples-'))

/** What came, as it came. */
let came: unknown
const server = createServer(async (request, response) => {
  const { method, url, headers } = request
  const { authorization = '', 'content-type': type } = headers
  const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
  came = { method, url, credentials, type, body: JSON.parse((await text(request)) || 'null') }
  response.end('{}')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Texts that mean something to one language or another. */
const body = {
  reason: `'; rm -rf / #{1} $(id) \`id\` \\n "quoted" \${x} """ %s é 😀`,
  amount: 250.5,
  nested: { yes: true, no: false, nothing: null, list: [1, 'two', {}], empty: {}, none: [] },
}
const request = {
  method: 'POST',
  url: `${origin}/api/v2/payments?a=1&b='2'`,
  body: JSON.stringify(body, null, 2),
  username: "o'neil",
  password: 'a$b"c\\d',
}
const sample = (name: string, of = request as Parameters<(typeof languages)[number]['write']>[0]) =>
  languages.find((each) => each.name === name)!.write(of)

const has = (command: string) => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What stands for the package that samples in Python use, which is not part of it. */
const REQUESTS = `import base64, json, urllib.request
class Answer:
    status_code = 200
    def json(self): return {}
def send(method, url, auth, json_=None):
    headers = {'Authorization': 'Basic ' + base64.b64encode(':'.join(auth).encode()).decode()}
    data = None
    if json_ is not None:
        data = json.dumps(json_).encode()
        headers['Content-Type'] = 'application/json'
    urllib.request.urlopen(urllib.request.Request(url.replace("'", '%27'), data=data, headers=headers, method=method))
    return Answer()
def post(url, auth, json=None): return send('POST', url, auth, json)
def get(url, auth): return send('GET', url, auth)
`
const programs = [
  ['curl', 'bash', 'sample.sh'],
  ['JavaScript', 'node', 'sample.mjs'],
  ['Python', 'python3', 'sample.py'],
  ['PHP', 'php', 'sample.php'],
  ['Ruby', 'ruby', 'sample.rb'],
] as const

describe.each(programs)('a sample for %s', (name, command, file) => {
  const send = async (of?: Parameters<typeof sample>[1]) => {
    writeFileSync(join(folder, 'requests.py'), REQUESTS)
    writeFileSync(join(folder, file), sample(name, of))
    await run(command, [join(folder, file)], { cwd: folder })
    return came as typeof request & { credentials: string; type?: string }
  }

  it.runIf(has(command))('sends the exact text, whatever it means in the language', async () => {
    const sent = await send()
    expect(sent.method).toBe('POST')
    expect(decodeURIComponent(sent.url)).toBe(`/api/v2/payments?a=1&b='2'`)
    expect(sent.credentials).toBe(`${request.username}:${request.password}`)
    expect(sent.type).toMatch(/^application\/json/)
    expect(sent.body).toEqual(body)
  })

  it.runIf(has(command))('sends no body for operations without one', async () => {
    const sent = await send({ ...request, method: 'GET', body: undefined })
    expect([sent.method, sent.body]).toEqual(['GET', null])
  })
})

describe('samples', () => {
  it('exist in eight languages', () => {
    expect(languages.map(({ name }) => name)).toEqual([
      'curl',
      'JavaScript',
      'Python',
      'PHP',
      'Java',
      'Go',
      'Ruby',
      'C#',
    ])
  })

  it.each(['Java', 'Go', 'C#'])('of %s do not end a text early', (name) => {
    const written = sample(name)
    const without = written
      .replace(/"""\n(?:\\.|[^"\\]|"(?!""))*"""/g, '')
      .replace(/@"(?:""|[^"])*"/g, '')
      .replace(/"(?:\\.|[^"\\\n])*"/g, '')
    expect(without).not.toMatch(/rm -rf|neil/)
  })
})
