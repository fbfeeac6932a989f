/** One-line faults in three shops that know nothing of certify, in Python, JavaScript and Go: each fails a mandatory check. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckId } from '../../src/certify/check-ids.ts'
import { certifyProfile, readProfile } from '../../src/certify/certify.ts'
import { createSandbox } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'

/**
 * By shop, the text of its source that is replaced, and its replacement. The shop in Go contains its faults. A shop that answers before it stores
 * is not among them: its status queries make up for the callbacks that it loses.
 */
type Fault = readonly [
  fault: string,
  check: CheckId,
  shops: { readonly [Shop in 'Python' | 'JavaScript']?: readonly [from: string, to: string] } & {
    readonly Go?: true
  },
]

const faults: readonly Fault[] = [
  [
    'redirects callbacks',
    'RCV-1',
    { Python: ['return 204', 'return 302'], JavaScript: ['return 204', 'return 302'], Go: true },
  ],
  [
    'answers forged callbacks with 200',
    'RCV-2',
    { Python: ['return 401', 'return 200'], JavaScript: ['return 401', 'return 200'], Go: true },
  ],
  ['accepts callbacks without a signature', 'RCV-2', { Go: true }],
  [
    'accepts any signature',
    'RCV-3',
    {
      Python: [
        'return any(hmac.compare_digest(each.encode(), expected.encode()) for each in sent)',
        'return True',
      ],
      JavaScript: ['return given.length === own.length && timingSafeEqual(given, own)', 'return true'],
      Go: true,
    },
  ],
  [
    'compares the version of the signature only',
    'RCV-4',
    { Python: ['hmac.compare_digest(each.encode(), expected.encode())', 'each[:3] == expected[:3]'] },
  ],
  [
    'compares the length of the signature only',
    'RCV-4',
    {
      JavaScript: [
        'given.length === own.length && timingSafeEqual(given, own)',
        'given.length === own.length',
      ],
      Go: true,
    },
  ],
  [
    'accepts callbacks of any age',
    'RCV-5',
    {
      Python: ['> TOLERANCE:', '> TOLERANCE * 100:'],
      JavaScript: ['if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE)) return false', ''],
      Go: true,
    },
  ],
  [
    'crashes for half a signature',
    'RCV-7',
    { JavaScript: ['given.length === own.length && timingSafeEqual', 'timingSafeEqual'], Go: true },
  ],
  [
    'reads the first of two signatures',
    'RCV-8',
    {
      Python: ['.split(" ")\n', '.split(" ")[:1]\n'],
      JavaScript: ["sent.split(' ').some", "sent.split(' ').slice(0, 1).some"],
      Go: true,
    },
  ],
  ['books repeated callbacks', 'RCV-10', { Go: true }],
  ['looks first and books later', 'RCV-11', { Go: true }],
  [
    'lets a success follow a reversal',
    'RCV-13',
    {
      Python: ['if "reversed" in (order["state"], status):', 'if status == "reversed":'],
      JavaScript: ["if (order.state === 'reversed' || status === 'reversed')", "if (status === 'reversed')"],
      Go: true,
    },
  ],
  [
    'ignores a success after a failure',
    'RCV-15',
    {
      Python: [
        '    if order["state"] == "paid":',
        '    if order["state"] == "unpaid":\n        return "unpaid"\n    if order["state"] == "paid":',
      ],
      JavaScript: [
        "if (order.state === 'paid') return 'paid'",
        "if (order.state === 'paid' || order.state === 'unpaid') return order.state",
      ],
      Go: true,
    },
  ],
  ['delivers when a payment is reversed', 'RCV-16', { Go: true }],
  [
    'ignores reversals',
    'RCV-16',
    {
      Python: ['if "reversed" in (order["state"], status):', 'if order["state"] == "reversed":'],
      JavaScript: [
        "if (order.state === 'reversed' || status === 'reversed')",
        "if (order.state === 'reversed')",
      ],
      Go: true,
    },
  ],
  [
    'accepts another reference',
    'RCV-17',
    {
      Python: ['None in (order["reference"], reference) or reference == order["reference"]', 'True'],
      JavaScript: ['return isIt && amount', 'return amount'],
      Go: true,
    },
  ],
  [
    'accepts another currency',
    'RCV-17',
    {
      Python: ['(amount, currency) == (order["amount"], order["currency"])', 'amount == order["amount"]'],
      JavaScript: [' && currency === order.currency', ''],
      Go: true,
    },
  ],
  [
    'accepts any amount',
    'RCV-17',
    {
      Python: ['(amount, currency) == (order["amount"], order["currency"])', 'currency == order["currency"]'],
      JavaScript: ['isIt && amount === order.amount && currency', 'isIt && currency'],
      Go: true,
    },
  ],
  [
    'accepts half the amount',
    'RCV-17',
    {
      Python: [
        '(amount, currency) == (order["amount"], order["currency"])',
        '(currency == order["currency"] and amount * 2 >= order["amount"] - 1)',
      ],
      JavaScript: ['amount === order.amount', 'amount * 2 >= order.amount - 1'],
      Go: true,
    },
  ],
  [
    'accepts one shilling less',
    'RCV-17',
    {
      Python: [
        '(amount, currency) == (order["amount"], order["currency"])',
        '(currency == order["currency"] and amount >= order["amount"] - 1)',
      ],
      JavaScript: ['amount === order.amount', 'amount >= order.amount - 1'],
      Go: true,
    },
  ],
  [
    'delivers what it should flag',
    'RCV-17',
    {
      Python: ['else "disputed"', 'else "paid"'],
      JavaScript: ["'paid' : 'disputed'", "'paid' : 'paid'"],
      Go: true,
    },
  ],
  [
    'takes queued for paid',
    'RCV-17',
    {
      Python: ['if status == "success":', 'if status in ("success", "queued"):'],
      JavaScript: ["if (status === 'success')", "if (status === 'success' || status === 'queued')"],
      Go: true,
    },
  ],
  [
    'crashes for unknown orders',
    'RCV-19',
    { Python: ['state = order and next_state', 'state = next_state'], Go: true },
  ],
  ['creates unknown orders', 'RCV-19', { Go: true }],
  [
    'rejects names that are not ASCII',
    'RCV-24',
    { Python: ['json.loads(body)', 'json.loads(body.decode("ascii"))'] },
  ],
  [
    'signs the text instead of the bytes',
    'RCV-24',
    {
      JavaScript: ['.update(body).digest()', '.update(JSON.stringify(JSON.parse(body))).digest()'],
      Go: true,
    },
  ],
  ['rejects unknown fields', 'RCV-1', { Go: true }],
  [
    'keeps orders in memory',
    'RCV-28',
    { Python: ['sqlite3.connect(database,', 'sqlite3.connect(":memory:",'], Go: true },
  ],
  [
    'forgets orders at a restart',
    'RCV-28',
    { JavaScript: ["file && existsSync(file) ? readFileSync(file, 'utf8').split('\\n') : []", '[]'] },
  ],
  [
    'uses one reference for all orders',
    'CLI-1',
    {
      Python: ['"external_reference": order,', '"external_reference": "shop",'],
      JavaScript: [
        'external_reference: id,\n          callback_url',
        "external_reference: 'shop',\n          callback_url",
      ],
      Go: true,
    },
  ],
  [
    'pays again after a lost response',
    'CLI-2',
    {
      Python: [
        '            self.ask(order)\n\n    def callback',
        '            self._ask("/api/v2/payments", {"amount": amount, "phone_number": phone, "provider": "m-pesa", "network_code": "63902", "account_id": 63, "external_reference": order, "callback_url": self.callback_url})\n\n    def callback',
      ],
      Go: true,
    },
  ],
  ['pays again after a server error', 'CLI-3', { Go: true }],
  ['ignores Retry-After', 'CLI-4', { Go: true }],
  [
    'delivers for the query and the callback',
    'CLI-6',
    {
      Python: ['if order and state != order["state"]:', 'if order:'],
      JavaScript: ['|| state === told.state) return', ') return'],
      Go: true,
    },
  ],
  [
    'never queries the status',
    'CLI-6',
    {
      Python: ["WHERE state = 'waiting' AND look_at", "WHERE state = 'never' AND look_at"],
      JavaScript: ['await this.ask(id)\n      }\n    },\n  }', '}\n    },\n  }'],
      Go: true,
    },
  ],
  [
    'gives up before the first query',
    'CLI-6',
    { Python: ['LOOKS = 12', 'LOOKS = 0'], JavaScript: ['const LOOKS = 12', 'const LOOKS = 0'] },
  ],
  [
    'leaves rejected orders open',
    'CLI-9',
    {
      Python: ['if refused.code < 500:', 'if refused.code < 400:'],
      JavaScript: ['if (status >= 400 && status < 500)', 'if (status >= 600)'],
      Go: true,
    },
  ],
  [
    'leaves failures open',
    'CLI-10',
    {
      Python: ['return "unpaid" if status == "failed" else order["state"]', 'return order["state"]'],
      JavaScript: ["return status === 'failed' ? 'unpaid' : order.state", 'return order.state'],
      Go: true,
    },
  ],
  [
    'delivers failed orders',
    'CLI-10',
    {
      Python: ['+ (state == "paid")', '+ 1'],
      JavaScript: ["if (state === 'paid') told.receipts++", 'told.receipts++'],
      Go: true,
    },
  ],
  [
    'takes queued for failed',
    'CLI-11',
    {
      Python: ['return "unpaid" if status == "failed" else order["state"]', 'return "unpaid"'],
      JavaScript: ["return status === 'failed' ? 'unpaid' : order.state", "return 'unpaid'"],
      Go: true,
    },
  ],
  [
    'delivers when the payment is queued',
    'CLI-11',
    {
      JavaScript: [
        'if (status === 201) keep(',
        "if (status === 201) Object.assign(orders.get(id), { state: 'paid', receipts: 1 })\n        if (status === 201) keep(",
      ],
    },
  ],
  [
    'sends its key in the body',
    'SEC-1',
    {
      Python: ['"account_id": 63,', '"account_id": 63, "api_key": "demo",'],
      JavaScript: ['account_id: 63,', "account_id: 63, api_key: 'demo',"],
      Go: true,
    },
  ],
]

const folder = temporaryFolder()
const sandbox = await createSandbox({ env: {} })
const url = await sandbox.listen()
const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops) stop()
  await sandbox.close()
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

let made = 0

interface Started {
  readonly profile: string
  readonly restart: () => Promise<unknown>
}

/** Starts a shop in an account of its own, with a fault in its source. */
type Start = (
  fault: string | readonly [from: string, to: string],
  env: Readonly<Record<string, string>>,
) => Promise<Started>

/** The shops of the examples, which start themselves. */
const example =
  (name: string, file: string): Start =>
  async (fault, env) => {
    const data = join(folder, `${name}-${made++}`)
    cpSync(join('examples', name), data, { recursive: true, filter: (path) => !/node_modules/.test(path) })
    const [from, to] = fault as readonly [string, string]
    const source = readFileSync(join(data, file), 'utf8')
    expect(source.split(from).length, `${from} occurs once`).toBe(2)
    writeFileSync(
      join(data, file),
      source.replace(from, () => to),
    )
    stops.push(() => {
      try {
        process.kill(Number(readFileSync(join(data, 'shop.pid'), 'utf8')), 'SIGKILL')
      } catch {
        // It has ended already.
      }
    })
    const restart = () =>
      promisify(execFile)(join(data, 'restart'), { env: { ...process.env, ...env, DATA: data } })
    await restart()
    return {
      profile: readFileSync(join(data, 'certify.yaml'), 'utf8').replaceAll(':3000/', `:${env['PORT']}/`),
      restart,
    }
  }

const binary = join(folder, 'shop')

const go: Start = async (fault, env) => {
  let shop: ChildProcess | undefined
  const DATA = join(folder, `go-${made++}.jsonl`)
  const restart = async () => {
    shop?.kill('SIGKILL')
    shop = spawn(binary, { env: { ...env, DATA, FAULT: String(fault) }, stdio: 'ignore' })
    while (!(await fetch(`http://127.0.0.1:${env['PORT']}/`).catch(() => undefined))) await sleep(20)
  }
  stops.push(() => shop?.kill('SIGKILL'))
  await restart()
  const profile = `
profile: the little shop in Go
receiver: { url: 'http://127.0.0.1:${env['PORT']}/callback', within: 10s }
features: [collect, reversals, status-queries]
trigger:
  http:
    url: http://127.0.0.1:${env['PORT']}/test/checkout
    body: { order: '\${order}', amount: '\${amount}', phone: '\${phone}', sandbox: '\${sandbox}', authorization: '\${authorization}' }
probe:
  http: { url: 'http://127.0.0.1:${env['PORT']}/test/orders/\${order}' }
  read: { state: $.state, fulfilled: $.receipts }
  means: { open: [waiting], paid: [paid], failed: [unpaid], reversed: [reversed], flagged: [disputed] }
client: { patience: 1s, slow: 1s }
`
  return { profile, restart }
}

const has = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0
const shops = [
  { name: 'JavaScript', runs: true, start: example('vitest', 'shop.js') },
  { name: 'Python', runs: has('python3', '--version'), start: example('python', 'shop.py') },
  { name: 'Go', runs: has('go', 'version'), start: go },
] as const

/** Starts a shop with a fault, and tries the check that should find it, or all. */
async function certifyFault(start: Start, fault: Parameters<Start>[0], check?: CheckId) {
  const { username, password, signatures } = await sandbox.world()
  const env = {
    PORT: String(await freePort()),
    SERVICE_URL: url,
    SERVICE_KEY: `${username}:${password}`,
    SERVICE_USERNAME: username,
    SERVICE_PASSWORD: password,
    WEBHOOK_SECRET: await signatures.secret(),
  }
  const { profile, restart } = await start(fault, env)
  const read = await readProfile('certify.yaml', profile)
  const user = { username, password }
  // Two payments have to share a reference.
  const only = check === 'CLI-1' ? [check, 'RCV-1', 'RCV-2'] : check && [check]
  return certifyProfile({ ...read, sandbox: url, user, restart }, { only })
}

beforeAll(async () => {
  if (shops[2].runs)
    await promisify(execFile)('go', ['build', '-o', binary, '.'], { cwd: 'test/certify/go-shop' })
}, 300_000)

const MINUTE = 60_000

describe.concurrent.each(shops)('the shop in $name', ({ name, runs, start }) => {
  it.runIf(runs).for(faults.filter(([, , by]) => by[name]))(
    'that %s fails %s',
    { timeout: 5 * MINUTE, retry: 1 },
    async ([fault, check, by]) => {
      const given = by[name]!
      const { checks, summary } = await certifyFault(start, given === true ? fault : given, check)
      const result = checks.find(({ id }) => id === check)
      expect(`${result!.verdict}: ${result!.observed}`).toMatch(/^fail: /)
      expect(result!.level).toBe('mandatory')
      expect(summary.ready).toBe(false)
    },
  )
})

it.runIf(shops[2].runs)(
  'the correct shop in Go fails no check',
  { timeout: 5 * MINUTE, retry: 1 },
  async () => {
    const { checks } = await certifyFault(go, '')
    const wrong = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
    expect(wrong.map(({ id, observed }) => ({ id, observed }))).toEqual([])
  },
)
