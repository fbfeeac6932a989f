import { readFile, writeFile } from 'node:fs/promises'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Command } from '@commander-js/extra-typings'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandTable, loadCommand } from '../../src/cli/program.ts'
import { connect } from '../../src/client/connect.ts'
import { placesOf } from '../../src/cli/completion.ts'
import { systemProcess } from '../../src/cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { commandLine, ended, listening, started } from './process.ts'

const io = {
  env: {},
  out: { write: () => {}, terminal: false, colours: false },
  err: { write: () => {}, terminal: false, colours: false },
  stopped: () => new Promise<string>(() => {}),
}
const program = new Command('payments-sandbox')
for (const name of Object.keys(commandTable)) program.addCommand((await loadCommand(name))(io, () => {}))
/** Those that do something, as they are said: `clock show`. */
const commands = placesOf(program).filter(({ path, commands }) => path !== '' && commands.length === 0)
const names = commands.map(({ path }) => path)

const folder = temporaryFolder()
const payment = async (url: string) => {
  const { out } = await ended(['pay', '--json', '--url', url, '--set', 'external_reference=order-1'])
  return out
}

/** What is said after each, to a sandbox that has one payment. Those that have no row here go on until they are stopped. */
const asked: { readonly [command: string]: readonly string[] } = {
  healthcheck: ['--timeout', '30s'],
  doctor: [],
  init: [],
  'scenarios check': [],
  'scenarios test': ['scenarios/payer-cancels.yaml'],
  'scenarios list': [],
  'scenarios show': ['cancelled'],
  'incidents check': [],
  'incidents list': [],
  'incidents start': ['m-pesa-stalls', '--seed', 'monday'],
  'incidents step': ['m-pesa-stalls'],
  'incidents stop': ['m-pesa-stalls'],
  trigger: ['payer-cancels', '--for', '0', '--set', 'amount=2000'],
  pay: ['--phone', '0712345678', '--amount', '250'],
  settle: ['--within', '1h'],
  resend: ['order-1'],
  explain: ['order-1'],
  'phone prompts': ['--all'],
  'phone approve': ['0712000111'],
  'phone cancel': ['0712000222'],
  'phone ignore': ['0712000333'],
  'phone balance': ['0712000111', '500'],
  'clock show': [],
  'clock freeze': [],
  'clock advance': ['72h'],
  'clock set': ['2060-01-01'],
  'clock speed': ['60'],
  'clock resume': [],
  'worlds list': [],
  'worlds create': ['Shop', '--frozen'],
  'worlds reset': ['--yes'],
  'worlds delete': [],
  'worlds keys list': [],
  'worlds keys create': ['--name', 'ci', '--expires-in', '30d'],
  'worlds keys revoke': [],
  'snapshots take': ['before'],
  'snapshots list': [],
  'snapshots restore': ['before', '--yes'],
  'snapshots delete': ['before', '--yes'],
  import: [],
  'certify init': [],
  'certify explain': ['RCV-11'],
  'certify verify': [],
  'certify report': [],
  'certify diff': [],
  'traffic compare': [],
  compare: [],
  learn: [],
  completion: ['bash'],
}
/** Those that print a document of their own, and those that take long or go on until they are stopped. */
const documents = ['openapi', 'seed', 'export']
const endless = ['start', 'dev', 'listen', 'mcp', 'logs tail', 'record', 'probe']

describe('every command', () => {
  it('is covered by this test', () => {
    expect([...Object.keys(asked), ...documents, ...endless, 'migrate', 'move'].toSorted()).toEqual(
      names.toSorted(),
    )
  })

  it.each(names)('%s has --json', (name) => {
    const { flags } = commands.find(({ path }) => path === name)!
    expect(flags.flatMap((flag) => flag.names)).toContain('--json')
  })

  it.each(names)('%s is in docs/command-line.md', async (name) => {
    const [command, ...rest] = name.split(' ')
    const page = await readFile('docs/command-line.md', 'utf8')
    const section = page.split(/^### /m).find((each) => each.startsWith(`${command}\n`))
    expect(section).toMatch(rest.length > 0 ? new RegExp(`\`${rest.join(' ')}[ \`]`) : /./)
  })
})

/** Returns a response without credentials, as recordings contain it. */
async function recorded(url: string) {
  const response = await fetch(url)
  const text = await response.text()
  const headers = [...response.headers].map(([name, value]) => ({ name, value }))
  return { status: response.status, headers, size: text.length, mimeType: 'application/json', text }
}

describe('with --json', () => {
  let url = ''
  let kept = ''
  let report = ''
  beforeAll(async () => {
    const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const running = commandLine(['--port', '0', '--settle-after', '0'], {
      SANDBOX_LOG_LEVEL: 'warn',
      SANDBOX_CERTIFICATION_KEY: key,
    })
    await running.shown('"listening"')
    url = /"url":"([^"]+)"/.exec(running.printed.out)![1]!
    await payment(url)
    report = join(folder, 'report.json')
    await writeFile(report, JSON.stringify(await connect(url).certifications.make('shop')))
    kept = join(folder, 'worlds.jsonl')
    const exported = await ended(['export', 'demo', '--from', url])
    await writeFile(kept, exported.out)
    return async () => {
      running.stop()
      await running.code
    }
  })

  it.each(Object.keys(asked).filter((name) => !name.startsWith('phone ')))(
    '%s prints one self-describing object per line',
    async (name) => {
      const made = async (...words: string[]) =>
        JSON.parse((await ended(['worlds', ...words, '--json', '--url', url])).out)
      const recording = async () => {
        const channels = `${url}/api/v2/payment_channels`
        const { status, headers, ...response } = await recorded(channels)
        const entry = {
          startedDateTime: new Date().toISOString(),
          time: 1,
          request: { method: 'GET', url: channels, headers: [] },
          response: { status, headers, content: response },
        }
        const file = join(folder, 'session.har')
        await writeFile(file, JSON.stringify({ log: { entries: [entry] } }))
        return file
      }
      const afterAll: { readonly [command: string]: () => Promise<readonly string[]> } = {
        'worlds delete': async () => [(await made('create')).world.id, '--yes'],
        'worlds keys revoke': async () => [(await made('keys', 'create')).username, '--yes'],
        'certify verify': async () => [report, '--public-key', url],
        'certify report': async () => [report, '--report', `csv=${join(folder, 'checks.csv')}`],
        'certify diff': async () => [report, report],
        'traffic compare': async () => {
          const shop = { trigger() {}, probe: () => undefined }
          const run = await connect(url).traffic({ for: '2s', rate: '1/s', clock: 'compressed', shop })
          await writeFile(join(folder, 'run.json'), JSON.stringify(run))
          return [join(folder, 'run.json'), join(folder, 'run.json')]
        },
        compare: async () => [await recording()],
        learn: async () => [await recording(), '--out', join(folder, 'observed.yaml')],
        init: async () => {
          await writeFile(join(folder, 'package.json'), '{}')
          return [folder]
        },
        import: async () => [kept, '--to', join(folder, 'rows.json')],
      }
      const after = afterAll[name] ? await afterAll[name]() : asked[name]!
      const where =
        /^(init|scenarios|incidents check|import|completion|compare|learn|traffic|certify (explain|verify|report|diff))/.test(
          name,
        )
          ? []
          : ['--url', url]
      const { code, out, err } = await ended([...name.split(' '), ...after, '--json', ...where])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const facts = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(facts.length).toBeGreaterThan(0)
      for (const fact of facts) expect(fact).toMatchObject({ kind: expect.stringMatching(/^[a-z_]+$/) })
    },
  )

  it('prints an error as an object, on standard error', async () => {
    const { code, out, err } = await ended(['explain', 'nobody', '--json', '--url', url])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(JSON.parse(err)).toEqual({
      kind: 'error',
      message: expect.stringContaining('nobody'),
      code: 1,
      error_code: 'resource_not_found',
    })
  })

  it('exits with 4 if the sandbox is unreachable', async () => {
    const { port, close } = await listening(createServer())
    await close()
    const { code, err } = await ended(['clock', 'show', '--json', '--url', `http://127.0.0.1:${port}`])
    expect(code).toBe(4)
    expect(JSON.parse(err)).toMatchObject({ kind: 'error', code: 4 })
  })

  it.each([
    [['clock', 'advnace', '1h'], 'did you mean advance?'],
    [['logs', 'tial', '--all'], 'there is no command tial (did you mean tail?)'],
    [['snapshot', 'list'], 'did you mean snapshots?'],
    [['worlds', 'keys', 'lst'], '(did you mean list?). See payments-sandbox worlds keys --help.'],
    [['clock', 'show', '--jsn'], '(did you mean --json?)'],
    [['clock', 'advance', 'soon'], 'must be a duration such as'],
    [['clock', 'set', 'tomorrow'], 'must be a day or a time such as'],
    [['pay', '--amount', 'much'], 'must be a number such as 100'],
    [['pay', '--set', 'amount'], 'must be a field and its value'],
    [['pay', '--set', '__proto__.x=1'], 'must be a field and its value'],
    [['logs', 'tail', '--only', 'callback'], 'did you mean callbacks?'],
    [['logs', 'tail', '--status', '9xx'], 'must be a status such as 201'],
    [['listen', '--route', 'createWithdraw=http://localhost:1'], 'did you mean createWithdrawal?'],
    [['listen', '--route', '/hooks'], 'must be a path or an operation and an address'],
    [['completion', 'tcsh'], 'must be one of bash, zsh, fish'],
    [['resend'], 'name the callbacks to resend, or pass --failed'],
    [['worlds'], 'Usage: payments-sandbox worlds'],
  ])('rejects %j with 2 and lists the alternatives', async (args, message) => {
    const { code, out, err } = await ended(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
  })
})

it('start --json prints JSON lines at a terminal, too', async () => {
  const running = commandLine(['start', '--port', '0', '--json'], {}, { terminal: true })
  await running.shown('"listening"')
  running.stop()
  expect(await running.code).toBe(0)
  for (const line of running.printed.out.trimEnd().split('\n'))
    expect(JSON.parse(line)).toHaveProperty('event')
})

it.each([
  [['openapi', '--json'], 'openapi'],
  [['seed', '--json', '--teams', '2'], 'populate'],
])('%j prints one document', async (args, field) => {
  const { code, out } = await ended(args)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toHaveProperty(field)
})

it('the command line alone can drive a world with a frozen clock', async () => {
  const { base } = await started(['--port', '0'])
  const json = async (...args: string[]) => {
    const { out, code, err } = await ended([...args, '--json', '--url', base])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const [made] = await json('worlds', 'create', '--frozen', '--set', 'payer=manual')
  const user = ['--key', `${made.credentials.username}:${made.credentials.password}`]
  const pay = (phone: string) => json('pay', '--phone', phone, '--for', '0', ...user)
  await pay('0712000111')
  const waiting = await json('phone', 'prompts', ...user)
  expect(waiting).toMatchObject([{ kind: 'prompt', phone: '254712000111', state: 'waiting', amount: 1000 }])
  const paid = await json('phone', 'approve', '0712000111', ...user)
  expect(paid).toMatchObject([{ kind: 'prompt', state: 'paid' }])
  await pay('0712000222')
  expect(await json('phone', 'cancel', '0712000222', ...user)).toMatchObject([{ state: 'failed' }])
  await pay('0712000333')
  expect(await json('phone', 'ignore', '0712000333', ...user)).toMatchObject([{ state: 'failed' }])
  expect(await json('phone', 'balance', '0712000111', '500', ...user)).toEqual([
    { kind: 'balance', phone: '254712000111', currency: 'KES', amount: 500, limited: true },
  ])
})

it('snapshots saves a world and returns to it, by number or name', async () => {
  const { base } = await started(['--port', '0'])
  const asked = (...args: string[]) => ended(['snapshots', ...args, '--url', base])
  expect((await asked('list')).out).toBe('no snapshots\n')
  await ended(['pay', '--reference', 'order-1', '--for', '0', '--url', base])
  expect((await asked('take', 'one-order')).out).toMatch(/^1 {2}one-order {2}\S+Z {2}\d+ rows\n$/)
  await asked('take')
  await ended(['pay', '--reference', 'order-2', '--for', '0', '--url', base])
  expect((await asked('restore', '1')).err).toMatch(/^This returns the world of demo to .*: add --yes to/)
  expect((await asked('restore', 'one-order', '--yes')).out).toMatch(/^restored 1 {2}one-order/)
  expect((await ended(['explain', 'order-1', '--url', base])).code).toBe(0)
  expect((await ended(['explain', 'order-2', '--url', base])).err).toContain('no request or payment order-2')
  expect((await asked('delete', '2', '--yes')).out).toBe('deleted 2\n')
  expect(await asked('restore', '2')).toMatchObject({
    code: 1,
    err: 'there is no snapshot 2 in this world; there are 1\n',
  })
  await asked('take', 'one-order')
  expect((await asked('restore', 'one-order', '--yes')).err).toMatch(
    /have the name one-order: pass 1 or \d\n$/,
  )
})

describe('a command that deletes something', () => {
  const world = async () => {
    const { base } = await started(['--port', '0'])
    const here = ['--url', base]
    const id = JSON.parse((await ended(['worlds', 'create', '--json', ...here])).out).world.id as string
    const list = async () => (await ended(['worlds', 'list', ...here])).out
    return { here, id, list }
  }

  it.each(['rest', 'rset', 'resets', 'remov', 'delet', 'destroy'])(
    'is not suggested for worlds %s',
    async (word) => {
      const { code, out, err } = await ended(['worlds', word])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(`there is no command ${word}`)
      expect(err).not.toMatch(/did you mean (reset|remove|delete)/i)
    },
  )

  it('names the id of a world that is given by its name', async () => {
    const { here } = await world()
    const made = await ended(['worlds', 'create', 'shop', ...here, '--json'])
    const { id } = JSON.parse(made.out).world
    expect((await ended(['worlds', 'delete', 'shop', '--yes', ...here])).err).toBe(
      `worlds delete takes an id: ${id} has the name shop\n`,
    )
    expect((await ended(['worlds', 'delete', 'till', '--yes', ...here])).err).toContain('till was not found')
  })

  it('requires --yes without a terminal', async () => {
    const { here, id, list } = await world()
    const removed = await ended(['worlds', 'delete', id, ...here])
    expect(removed).toEqual({
      code: 2,
      out: '',
      err: `This deletes the world ${id} with 0 transactions and 0 requests, which cannot be undone: add --yes to confirm\n`,
    })
    expect(await list()).toContain(id)
    await ended(['pay', '--for', '0', ...here])
    const { code, err } = await ended(['worlds', 'reset', ...here])
    expect({ code, err }).toEqual({
      code: 2,
      err: 'This resets the world of demo with 1 transaction and 1 request, which cannot be undone: add --yes to confirm\n',
    })
    expect((await ended(['worlds', 'reset', '--all', ...here])).code).toBe(2)
    expect(await list()).toContain('1 transaction,')
  })

  it.each([
    [true, 0],
    [false, 1],
  ])('follows the response to its prompt: %s', async (answer, code) => {
    const { here, id, list } = await world()
    const asked: string[] = []
    const confirm = async (question: string) => {
      asked.push(question)
      return answer
    }
    const removed = await ended(['worlds', 'delete', id, ...here], {}, { confirm })
    expect(removed.code).toBe(code)
    expect(asked).toEqual([expect.stringContaining(`This deletes the world ${id} with 0 transactions`)])
    expect((await list()).includes(id)).toBe(!answer)
    expect(removed.err).toBe(answer ? '' : 'Nothing was changed.\n')
  })
})

describe('at a terminal', () => {
  /** A process whose person types `typed`. */
  const typing = (typed: string) => {
    const stream = () => Object.assign(new PassThrough(), { isTTY: true, hasColors: () => false })
    const [stdin, stdout, stderr] = [stream(), stream(), stream()]
    stdin.write(typed)
    return systemProcess({ stdin, stdout, stderr, on: () => process } as never, {})
  }

  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['\u0003', false],
    ['\u0004', false],
  ])('%j prints %s', async (typed, answer) => {
    expect(await typing(typed).confirm!('Continue?')).toBe(answer)
  })
})
