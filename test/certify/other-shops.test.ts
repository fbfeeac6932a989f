/** One-line faults in two shops that know nothing of certify, in Python and JavaScript: each fails a mandatory check. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CheckId } from '../../src/certify/check-ids.ts'
import { certifyProfile, readProfile } from '../../src/certify/certify.ts'
import { createSandbox } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'

type Mutant = readonly [fault: string, check: CheckId, from: string, to: string]

const python: readonly Mutant[] = [
  ['accepts callbacks of any age', 'RCV-5', '> TOLERANCE:', '> TOLERANCE * 100:'],
  [
    'accepts any signature',
    'RCV-3',
    'return any(hmac.compare_digest(each.encode(), expected.encode()) for each in sent)',
    'return True',
  ],
  [
    'compares the version of the signature only',
    'RCV-4',
    'hmac.compare_digest(each.encode(), expected.encode())',
    'each[:3] == expected[:3]',
  ],
  ['reads the first of two signatures', 'RCV-8', '.split(" ")\n', '.split(" ")[:1]\n'],
  ['answers forged callbacks with 200', 'RCV-2', 'return 401', 'return 200'],
  ['redirects callbacks', 'RCV-1', 'return 204', 'return 302'],
  [
    'lets a success follow a reversal',
    'RCV-13',
    'if "reversed" in (order["state"], status):',
    'if status == "reversed":',
  ],
  [
    'ignores reversals',
    'RCV-16',
    'if "reversed" in (order["state"], status):',
    'if order["state"] == "reversed":',
  ],
  [
    'ignores a success after a failure',
    'RCV-15',
    '    if order["state"] == "paid":',
    '    if order["state"] == "unpaid":\n        return "unpaid"\n    if order["state"] == "paid":',
  ],
  [
    'accepts another reference',
    'RCV-17',
    'None in (order["reference"], reference) or reference == order["reference"]',
    'True',
  ],
  [
    'accepts another currency',
    'RCV-17',
    '(amount, currency) == (order["amount"], order["currency"])',
    'amount == order["amount"]',
  ],
  [
    'accepts any amount',
    'RCV-17',
    '(amount, currency) == (order["amount"], order["currency"])',
    'currency == order["currency"]',
  ],
  [
    'accepts half the amount',
    'RCV-17',
    '(amount, currency) == (order["amount"], order["currency"])',
    '(currency == order["currency"] and amount * 2 >= order["amount"] - 1)',
  ],
  [
    'accepts one shilling less',
    'RCV-17',
    '(amount, currency) == (order["amount"], order["currency"])',
    '(currency == order["currency"] and amount >= order["amount"] - 1)',
  ],
  ['delivers what it should flag', 'RCV-17', 'else "disputed"', 'else "paid"'],
  ['takes queued for paid', 'RCV-17', 'if status == "success":', 'if status in ("success", "queued"):'],
  [
    'leaves failures open',
    'CLI-10',
    'return "unpaid" if status == "failed" else order["state"]',
    'return order["state"]',
  ],
  [
    'takes queued for failed',
    'CLI-11',
    'return "unpaid" if status == "failed" else order["state"]',
    'return "unpaid"',
  ],
  ['leaves rejected orders open', 'CLI-9', 'if refused.code < 500:', 'if refused.code < 400:'],
  [
    'pays again after a lost response',
    'CLI-2',
    '            self.ask(order)\n\n    def callback',
    '            self._ask("/api/v2/payments", {"amount": amount, "phone_number": phone, "provider": "m-pesa", "network_code": "63902", "account_id": 63, "external_reference": order, "callback_url": self.callback_url})\n\n    def callback',
  ],
  ['delivers for the query and the callback', 'CLI-6', 'if order and state != order["state"]:', 'if order:'],
  ['delivers failed orders', 'CLI-10', '+ (state == "paid")', '+ 1'],
  [
    'never queries the status',
    'CLI-6',
    "WHERE state = 'waiting' AND look_at",
    "WHERE state = 'never' AND look_at",
  ],
  ['gives up before the first query', 'CLI-6', 'LOOKS = 12', 'LOOKS = 0'],
  [
    'uses one reference for all orders',
    'CLI-1',
    '"external_reference": order,',
    '"external_reference": "shop",',
  ],
  ['sends its key in the body', 'SEC-1', '"account_id": 63,', '"account_id": 63, "api_key": "demo",'],
  ['crashes for unknown orders', 'RCV-19', 'state = order and next_state', 'state = next_state'],
  ['rejects names that are not ASCII', 'RCV-24', 'json.loads(body)', 'json.loads(body.decode("ascii"))'],
  ['keeps orders in memory', 'RCV-28', 'sqlite3.connect(database,', 'sqlite3.connect(":memory:",'],
]

const javascript: readonly Mutant[] = [
  [
    'accepts callbacks of any age',
    'RCV-5',
    'if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE)) return false',
    '',
  ],
  [
    'accepts any signature',
    'RCV-3',
    'return given.length === own.length && timingSafeEqual(given, own)',
    'return true',
  ],
  [
    'compares the length of the signature only',
    'RCV-4',
    'given.length === own.length && timingSafeEqual(given, own)',
    'given.length === own.length',
  ],
  [
    'crashes for half a signature',
    'RCV-7',
    'given.length === own.length && timingSafeEqual',
    'timingSafeEqual',
  ],
  [
    'signs the text instead of the bytes',
    'RCV-24',
    '.update(body).digest()',
    '.update(JSON.stringify(JSON.parse(body))).digest()',
  ],
  ['reads the first of two signatures', 'RCV-8', "sent.split(' ').some", "sent.split(' ').slice(0, 1).some"],
  ['answers forged callbacks with 200', 'RCV-2', 'return 401', 'return 200'],
  ['redirects callbacks', 'RCV-1', 'return 204', 'return 302'],
  [
    'lets a success follow a reversal',
    'RCV-13',
    "if (order.state === 'reversed' || status === 'reversed')",
    "if (status === 'reversed')",
  ],
  [
    'ignores reversals',
    'RCV-16',
    "if (order.state === 'reversed' || status === 'reversed')",
    "if (order.state === 'reversed')",
  ],
  [
    'ignores a success after a failure',
    'RCV-15',
    "if (order.state === 'paid') return 'paid'",
    "if (order.state === 'paid' || order.state === 'unpaid') return order.state",
  ],
  ['accepts another reference', 'RCV-17', 'return isIt && amount', 'return amount'],
  ['accepts another currency', 'RCV-17', ' && currency === order.currency', ''],
  ['accepts any amount', 'RCV-17', 'isIt && amount === order.amount && currency', 'isIt && currency'],
  ['accepts half the amount', 'RCV-17', 'amount === order.amount', 'amount * 2 >= order.amount - 1'],
  ['accepts one shilling less', 'RCV-17', 'amount === order.amount', 'amount >= order.amount - 1'],
  ['delivers what it should flag', 'RCV-17', "'paid' : 'disputed'", "'paid' : 'paid'"],
  [
    'takes queued for paid',
    'RCV-17',
    "if (status === 'success')",
    "if (status === 'success' || status === 'queued')",
  ],
  [
    'leaves failures open',
    'CLI-10',
    "return status === 'failed' ? 'unpaid' : order.state",
    'return order.state',
  ],
  [
    'takes queued for failed',
    'CLI-11',
    "return status === 'failed' ? 'unpaid' : order.state",
    "return 'unpaid'",
  ],
  ['leaves rejected orders open', 'CLI-9', 'if (status >= 400 && status < 500)', 'if (status >= 600)'],
  ['delivers for the query and the callback', 'CLI-6', '|| state === told.state) return', ') return'],
  ['delivers failed orders', 'CLI-10', "if (state === 'paid') told.receipts++", 'told.receipts++'],
  ['never queries the status', 'CLI-6', 'await this.ask(id)\n      }\n    },\n  }', '}\n    },\n  }'],
  ['gives up before the first query', 'CLI-6', 'const LOOKS = 12', 'const LOOKS = 0'],
  [
    'uses one reference for all orders',
    'CLI-1',
    'external_reference: id,\n          callback_url',
    "external_reference: 'shop',\n          callback_url",
  ],
  ['sends its key in the body', 'SEC-1', 'account_id: 63,', "account_id: 63, api_key: 'demo',"],
  [
    'forgets orders at a restart',
    'RCV-28',
    "file && existsSync(file) ? readFileSync(file, 'utf8').split('\\n') : []",
    '[]',
  ],
  [
    'delivers when the payment is queued',
    'CLI-11',
    'if (status === 201) keep(',
    "if (status === 201) Object.assign(orders.get(id), { state: 'paid', receipts: 1 })\n        if (status === 201) keep(",
  ],
]

const hasPython = spawnSync('python3', ['--version']).status === 0
const shops = [
  { name: 'JavaScript', folder: 'vitest', file: 'shop.js', mutants: javascript, runs: true },
  { name: 'Python', folder: 'python', file: 'shop.py', mutants: python, runs: hasPython },
]

const folder = temporaryFolder()
const sandbox = await createSandbox({ env: {} })
const url = await sandbox.listen()
const started: string[] = []
afterAll(async () => {
  for (const data of started) spawnSync('bash', ['-c', `kill -9 $(cat ${data}/shop.pid) 2>/dev/null`])
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

/** Starts a copy of a shop with a fault, and tries the check that should find it. */
async function certifyMutant(shop: (typeof shops)[number], [, check, from, to]: Mutant) {
  const data = join(folder, `${shop.folder}-${made++}`)
  cpSync(join('examples', shop.folder), data, {
    recursive: true,
    filter: (path) => !/node_modules/.test(path),
  })
  const source = readFileSync(join(data, shop.file), 'utf8')
  expect(source.split(from).length, `${from} occurs once`).toBe(2)
  writeFileSync(
    join(data, shop.file),
    source.replace(from, () => to),
  )
  started.push(data)
  const port = await freePort()
  const world = await sandbox.world()
  const env = {
    ...process.env,
    PORT: String(port),
    DATA: data,
    SERVICE_URL: url,
    SERVICE_KEY: `${world.username}:${world.password}`,
    SERVICE_USERNAME: world.username,
    SERVICE_PASSWORD: world.password,
    WEBHOOK_SECRET: await world.signatures.secret(),
  }
  execFileSync(join(data, 'restart'), { env, stdio: 'ignore' })
  const text = readFileSync(join(data, 'certify.yaml'), 'utf8').replaceAll(':3000/', `:${port}/`)
  const profile = await readProfile('certify.yaml', text)
  const { username, password } = world
  const restart = () => execFileSync(join(data, 'restart'), { env, stdio: 'ignore' })
  const found = await certifyProfile(
    { ...profile, sandbox: url, user: { username, password }, restart },
    // Two payments have to share a reference.
    { only: check === 'CLI-1' ? [check, 'RCV-1', 'RCV-2'] : [check] },
  )
  spawnSync('bash', ['-c', `kill -9 $(cat ${data}/shop.pid)`])
  return found
}

describe.each(shops)('the shop in $name', (shop) => {
  it.runIf(shop.runs).for(shop.mutants)(
    'that %s fails %s',
    { timeout: 180_000, retry: 1 },
    async (mutant) => {
      const { checks, summary } = await certifyMutant(shop, mutant)
      const result = checks.find(({ id }) => id === mutant[1])
      expect(`${result!.verdict}: ${result!.observed}`).toMatch(/^fail: /)
      expect(result!.level).toBe('mandatory')
      expect(summary.ready).toBe(false)
    },
  )
})
