/** Runs the commands of each page, in their order, against a new sandbox. */
import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { commandLine, listening as listeningOn } from '../cli/process.ts'
import { ALL_SERVED } from '../support/descriptions.ts'
import { temporaryFolder } from '../support/folder.ts'
import { liveSandbox } from '../support/live.ts'
import { startReceiver } from '../support/receiver.ts'
import { tracked } from '../support/tracked.ts'
import { BASE, runsInShell } from './commands.ts'
import { blocksOf, stepByStep } from './pages.ts'

const SKILL = 'skills/payments-sandbox/SKILL.md'
const pages = ['README.md', SKILL, ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
)

/** Elsewhere than in steps to follow, commands of the command line are examples. */
const isRun = (page: string, code: string) =>
  runsInShell(code) && (stepByStep.includes(page) || page === 'README.md' || code.includes(BASE))

const commandsOf = (page: string) =>
  blocksOf(page)
    .filter(({ language, reason, code }) => language === 'sh' && reason === undefined && isRun(page, code))
    .map(({ code }) => code)
    .join('\n')

/** Where the shop of the pages receives callbacks. */
const SHOP = 'http://127.0.0.1:9000'

const withCommands = pages.filter((page) => commandsOf(page) !== '')

/** A rejected command ends the script. The command line runs inside the test. */
const STRICT = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error --max-time 30 "$@" && echo; }
payments-sandbox() { command curl --fail-with-body --silent --max-time 60 "$COMMAND_LINE" --data-binary "$(printf '%s\\n' "$@")"; }
npm() { shift 2; payments-sandbox "$@"; }
`
const ORDER = `
curl -u demo:demo ${BASE}/api/v2/payments -H 'Content-Type: application/json' -d '{"amount": 100, "phone_number": "0712345678",
  "provider": "m-pesa", "network_code": "63902", "external_reference": "order-1", "callback_url": "'"$(
    curl -u demo:demo ${BASE}/sandbox/inbox/shop | grep -o 'http[^"]*')"'" }'
curl -u demo:demo '${BASE}/sandbox/callbacks/wait?reference=order-1'
`

const installed = (program: string) => spawnSync(program, ['--version']).status === 0
const curl = installed('bash') && installed('curl')

const began = Date.now()
/** Payers and retries of the pages take seconds. */
const clock = { real_anchor: began, world_anchor: began, speed: 20 }

/** @param page what it speaks of may have to be switched on */
async function listening(page = ''): Promise<string> {
  const { sandbox } = await liveSandbox(page.includes('SANDBOX_EXTENSIONS=on') ? ALL_SERVED : {}, { clock })
  return `http://127.0.0.1:${(await sandbox.listen(0)).port}`
}

/** Serves the command line: the body of a request has an argument on each line. */
async function commandLineAt(sandbox: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const args = (await text(request)).split('\n')
    const { code, printed } = commandLine(args, { SANDBOX_PORT: new URL(sandbox).port })
    response.writeHead((await code) === 0 ? 200 : 500).end(printed.out + printed.err)
  })
  const { port } = await listeningOn(server)
  return `http://127.0.0.1:${port}`
}

async function run(
  program: string,
  args: readonly string[],
  input: string,
  env: Record<string, string> = {},
) {
  const child = spawn(program, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env },
    cwd: temporaryFolder(),
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, out, err }
}

/**
 * Runs a page's commands. If they read `order-1` without creating it, the payment is created first.
 */
const type = (page: string) => typed.get(page) ?? typed.set(page, typeOnce(page)).get(page)!
const typed = new Map<string, ReturnType<typeof run>>()

async function typeOnce(page: string) {
  const url = await listening(readFileSync(page, 'utf8'))
  const commands = commandsOf(page)
  const creates = /"external_reference": "order-1"|--reference order-1/.test(commands)
  const before = /order-1\b/.test(commands) && !creates ? ORDER : ''
  const shop = await startReceiver()
  const script = (STRICT + before + commands).replaceAll(BASE, url).replaceAll(SHOP, shop.url)
  return run('bash', [], script, { COMMAND_LINE: await commandLineAt(url) })
}

describe.runIf(curl)('the commands of', () => {
  it.each(withCommands)('%s succeed', async (page) => {
    const { code, out, err } = await type(page)
    expect({ code, err, last: code === 0 ? '' : out.slice(-500) }).toEqual({ code: 0, err: '', last: '' })
  })

  it('README.md show a signed callback, and a payer who cancels', async () => {
    const { out, err } = await type('README.md')
    expect(err).toBe('')
    expect(out).toMatch(/ webhook-signature: v1,\S+\n[^]*?"status":"success".*"external_reference":"order-1"/)
    expect(out).toContain('payer-cancels decided it')
    expect(out).toContain('FAILED: cancelled')
  })

  it('docs/quick-start.md show a signed callback over HTTP', async () => {
    const { out } = await type('docs/quick-start.md')
    const [shown] = [...out.matchAll(/^\{\n {2}"callbacks"[^]*?^\}$/gm)].map(
      ([text]) => JSON.parse(text).callbacks[0],
    )
    expect(JSON.parse(shown.body)).toMatchObject({
      status: 'success',
      external_reference: 'order-4',
      amount: 100,
    })
    expect(shown.callback.state).toBe('delivered')
    expect(shown.attempts[0].request.headers).toHaveProperty('webhook-signature')
    expect(out).toContain('"signature_valid": true')
  })
})

describe('this test', () => {
  it('finds commands of README, guides and the skill', () => {
    expect(withCommands).toEqual(
      expect.arrayContaining(['README.md', SKILL, 'docs/quick-start.md', 'docs/control-time.md']),
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
    /(?:npm (?:i|install|add)|yarn add|pnpm add)(?: -\S+)* ["']?payments-sandbox(?!@(?:npm:@|file:))(?=[\s"'`@]|$)/,
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
