/** What the pages say to type is typed: each page's commands, in their order, against a sandbox that was just started. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ALL_SERVED } from '../support/descriptions.ts'
import { liveSandbox } from '../support/live.ts'
import { tracked } from '../support/tracked.ts'

const BASE = 'http://127.0.0.1:8080'
const SKILL = 'skills/payments-sandbox/SKILL.md'
const pages = ['README.md', SKILL, ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
)

const blocksOf = (page: string, language: string) =>
  [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, block]) => block!,
  )

/** The blocks that ask a sandbox on this machine. */
const commandsOf = (page: string) =>
  blocksOf(page, 'sh')
    .filter((block) => /^(\w+=\S*)?.*\bcurl\b/m.test(block) && block.includes(BASE))
    .join('\n')

const withCommands = pages.filter((page) => commandsOf(page) !== '')

/** A refusal ends the page, and says so. */
const STRICT = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error --max-time 30 "$@" && echo; }
`
const ORDER = `
curl -u demo:demo ${BASE}/api/v2/payments -H 'Content-Type: application/json' -d '{"amount": 100, "phone_number": "0712345678",
  "provider": "m-pesa", "network_code": "63902", "external_reference": "order-1", "callback_url": "'"$(
    curl -u demo:demo ${BASE}/sandbox/inbox/shop | grep -o 'http[^"]*')"'" }'
curl -u demo:demo '${BASE}/sandbox/callbacks/wait?reference=order-1'
`

const installed = (program: string) => spawnSync(program, ['--version']).status === 0
const curl = installed('bash') && installed('curl')

/** @param page what it speaks of may have to be switched on */
async function listening(page = ''): Promise<string> {
  const { sandbox } = await liveSandbox(page.includes('SANDBOX_EXTENSIONS=on') ? ALL_SERVED : {})
  return `http://127.0.0.1:${(await sandbox.listen(0)).port}`
}

async function run(program: string, args: readonly string[], input: string) {
  const child = spawn(program, args, { stdio: 'pipe' })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, out, err }
}

/** What comes of a page's commands. One that speaks of a payment without making it finds it there. @param again what is typed after them */
async function type(page: string, again: (commands: string) => string = () => '') {
  const url = await listening(readFileSync(page, 'utf8'))
  const commands = commandsOf(page)
  const there = !/order-1\b/.test(commands) || commands.includes('"external_reference": "order-1"')
  return run('bash', [], (STRICT + (there ? '' : ORDER) + commands + again(commands)).replaceAll(BASE, url))
}

describe.runIf(curl)('the commands of', () => {
  it.each(withCommands)('%s are answered as wanted', async (page) => {
    const { code, out, err } = await type(page)
    expect({ code, err, last: code === 0 ? '' : out.slice(-500) }).toEqual({ code: 0, err: '', last: '' })
  })

  it('README.md show the callback of the first payment', async () => {
    const { out } = await type('README.md')
    const { callbacks } = JSON.parse(out.split('\n').find((line) => line.startsWith('{"callbacks"'))!)
    const [{ callback, body, attempts }] = callbacks
    const said = JSON.parse(blocksOf('README.md', 'json')[0]!)
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(said))
    expect(JSON.parse(body)).toMatchObject({
      status: said.status,
      external_reference: 'order-1',
      amount: 100,
    })
    expect(callback.state).toBe('delivered')
    expect(attempts[0].request.headers).toHaveProperty('webhook-signature')
  })

  it('README.md work once more, for a payer who cancels', async () => {
    const { out, err } = await type('README.md', (commands) =>
      commands.replaceAll('order-1', 'order-0').replaceAll('0712345678', '0700000002'),
    )
    expect(err).toBe('')
    const waits = out.split('\n').filter((line) => line.startsWith('{"callbacks"'))
    expect(waits.map((line) => JSON.parse(JSON.parse(line).callbacks[0].body).status)).toEqual([
      'success',
      'failed',
    ])
  })
})

describe.runIf(installed('python3'))('the Python of README.md', () => {
  it('prints the answer and the callback', async () => {
    const url = await listening()
    const source = blocksOf('README.md', 'python')[0]!.replaceAll(BASE, url)
    // Its receiver's port is whichever is free.
    const free = source
      .replace('("127.0.0.1", 9000)', '("127.0.0.1", 0)')
      .replace('"http://127.0.0.1:9000/callback"', '"http://127.0.0.1:%d/callback" % receiver.server_port')
    expect(free).not.toContain('9000')
    const { out } = await run('python3', ['-'], free)
    expect(out).toMatch(/^answer: \{"success":true,"status":"QUEUED"/)
    expect(out).toMatch(/^callback: \{"success":true,"status":"success".*"external_reference":"order-2"/m)
  })
})

describe('this test', () => {
  it('finds commands where there are some', () => {
    expect(withCommands).toEqual(
      expect.arrayContaining([
        'README.md',
        'docs/quick-start.md',
        'docs/receive-callbacks.md',
        'docs/control-time.md',
      ]),
    )
  })

  it.runIf(curl)('sees a command that is refused', async () => {
    const url = await listening()
    const { code, err } = await run('bash', [], `${STRICT}curl ${url}/api/v2/payment_channels`)
    expect({ code, err }).toEqual({ code: 22, err: expect.stringContaining('401') })
  })
})

/** An unscoped name on a registry belongs to strangers; `npx --no`, paths, addresses and scoped names are safe. */
const UNSCOPED = new RegExp(
  [
    /(?:npx|npm exec|pnpm dlx|bunx)(?: -y| --yes| --)* payments-sandbox\b/,
    /\bnpx["'],\s*(?:"args": )?\[?\s*["']payments-sandbox\b/,
    /(?:npm (?:i|install|add)|yarn add|pnpm add)(?: -\S+)* ["']?payments-sandbox(?!@npm:@)(?=[\s"'`@]|$)/,
    /(?:pipx? install|uv add|uvx)(?: -\S+)* ["']?payments-sandbox(?! @ )/,
    /payments-sandbox@(?:latest|next|\^?\d|"?\$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

describe('the unscoped package name', () => {
  it('is installed by no text of this project', () => {
    const lines = tracked('.')
      .filter(
        (path) => path !== 'test/docs/commands.test.ts' && !/\.(?:png|jar|gz|svg|ico|woff2)$/.test(path),
      )
      .flatMap((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .map((line) => ({ path, line })),
      )
      .filter(({ line }) => UNSCOPED.test(line.replace(/(?<![-/@])@[A-Za-z]+\/payments-sandbox/g, '@scoped')))
    expect(lines).toEqual([])
  })

  it.each([
    'npx payments-sandbox start',
    'npx --yes payments-sandbox certify',
    '"command": "npx", "args": ["payments-sandbox", "mcp"]',
    'npm i -D payments-sandbox',
    'npm install --save-dev payments-sandbox   the command',
    "pip install 'payments-sandbox[server]'",
    'default: payments-sandbox@latest',
    'npx --yes "payments-sandbox@$VERSION"',
  ])('is found in %s', (line) => expect(line).toMatch(UNSCOPED))
})
