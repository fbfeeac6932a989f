import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLog, type Fields, type LogLevel, createOutput } from '../../src/lib/log/log.ts'
import { bundledScript } from '../support/process.ts'

const instant = Date.UTC(2026, 10, 21, 9, 5, 20, 123)

function record(options: { level?: LogLevel; terminal?: boolean } = {}) {
  const lines: string[] = []
  const log = createLog({
    level: 'debug',
    terminal: false,
    now: () => instant,
    ...options,
    write: (line) => lines.push(line),
  })
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> }
}

/** Returns the line for `fields`. */
function lineOf(fields: Fields, terminal = false): string {
  const { log, lines } = record({ terminal })
  log.info('request', fields)
  return lines.join('')
}

describe('a line', () => {
  it('is a JSON object with time, level, event and fields', () => {
    expect(lineOf({ method: 'POST', status: 201, path: '/a\nb' })).toBe(
      '{"time":"2026-11-21T09:05:20.123Z","level":"info","event":"request",' +
        '"method":"POST","status":201,"path":"/a\\nb"}\n',
    )
  })

  it('is readable on a terminal', () => {
    expect(lineOf({ method: 'POST', status: 201, said: 'not so', more: { a: 1 } }, true)).toBe(
      '09:05:20.123 info  request method=POST status=201 said="not so" more={"a":1}\n',
    )
  })

  it('cannot move the cursor of a terminal or start a second line', () => {
    const line = lineOf({ path: '/\u001b[2J\u009b2J\nforged', ['na\nme']: 1 }, true)
    expect(line.match(/\p{Cc}/gu)).toEqual(['\n'])
    expect(line.endsWith('\n')).toBe(true)
  })

  it('includes the fields of its parent log', () => {
    const { log, last } = record()
    log.child({ world: 'demo', part: 'store' }).child({ part: 'jobs' }).info('settled', { id: 7 })
    expect(last()).toMatchObject({ world: 'demo', part: 'jobs', id: 7 })
  })

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('at level %s includes that level and above', (level, written) => {
    const { log, lines } = record({ level })
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name](name)
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(written)
  })

  it('is written even for fields that JSON cannot represent', () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    let deep: unknown = null
    for (let level = 0; level < 100_000; level++) deep = [deep]
    const { log, last } = record()
    log.info('circle', { circle })
    expect(last()).toMatchObject({ event: 'circle', unwritable: expect.stringContaining('circular') })
    log.info('deep', { deep })
    expect(last()).toMatchObject({ event: 'deep', unwritable: expect.any(String) })
    log.info('odd', { big: 12n, error: new Error('broke', { cause: new Error('why') }) })
    expect(last()).toMatchObject({ big: '12', error: { message: 'broke', cause: { message: 'why' } } })
  })
})

describe('secrets', () => {
  const secret = 'c2VjcmV0OnZhbHVl'

  it.each([
    'authorization',
    'Proxy-Authorization',
    'password',
    'apiPassword',
    'password_hash',
    'secret',
    'signingSecret',
    'token',
    'api_key',
    'x-api-key',
    'Cookie',
    'set-cookie',
    'x-auth-token',
    'pin',
    'user_pin',
    'pinCode',
    'cvv',
    'cvc2',
    'cardCvv',
    'card_number',
    'cardNumber',
    'security-code',
    'otp',
  ])('named %s are redacted at any depth', (name) => {
    for (const terminal of [false, true]) {
      expect(lineOf({ [name]: secret }, terminal)).not.toContain(secret)
      expect(lineOf({ deep: [{ headers: { [name]: [secret] } }] }, terminal)).not.toContain(secret)
    }
  })

  it.each([
    `whsec_${secret}`,
    `signed with whsec_${secret}, twice`,
    `Basic ${secret}`,
    `authorization: basic ${secret}`,
    `Bearer ${secret}`,
    `connect to http://demo:${secret}@127.0.0.1:9000/callback failed`,
    `/callback?order=1&access_token=${secret}&x=1`,
  ])('in the text %j are redacted', (text) => {
    expect(lineOf({ text, error: new Error(text) })).not.toContain(secret)
  })

  it.each(['shipping', 'is_pin_set', 'japan', 'company', 'account_number', 'discard', 'pinned', 'opinion'])(
    'are not confused with %s',
    (name) => {
      expect(lineOf({ [name]: secret })).toContain(secret)
    },
  )

  it('in a child log are redacted', () => {
    const { log, lines } = record()
    log.child({ password: secret }).info('request')
    expect(lines.join('')).not.toContain(secret)
  })

  it('are redacted without affecting the rest of the line', () => {
    expect(lineOf({ url: `http://a:${secret}@b:9000/c?d=e@f`, to: 'x@y.example' })).toContain(
      '"url":"http://[redacted]@b:9000/c?d=e@f","to":"x@y.example"',
    )
  })
})

describe('the output', () => {
  /** A pipe that accepts `room` bytes until it is read. */
  function pipe(room = Infinity) {
    const target = { writes: [] as string[], room, error: undefined as string | undefined, waits: 0 }
    const output = createOutput(
      (bytes) => {
        if (target.error) throw Object.assign(new Error('no room'), { code: target.error })
        if (target.room === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' })
        const taken = bytes.subarray(0, target.room)
        target.room -= taken.length
        target.writes.push(Buffer.from(taken).toString())
        return taken.length
      },
      () => {
        target.waits++
        target.room = Math.max(target.room, room)
      },
    )
    return { target, output }
  }

  it('writes the lines of one turn together', async () => {
    const { target, output } = pipe()
    output.write('a\n')
    output.write('b\n')
    expect(target.writes).toEqual([])
    await nextTurn()
    output.write('c\n')
    await nextTurn()
    expect(target.writes).toEqual(['a\nb\n', 'c\n'])
  })

  it('limits the queued text, however long the turn is', () => {
    const { target, output } = pipe()
    const line = `${'a'.repeat(999)}\n`
    for (let id = 0; id < 100; id++) output.write(line)
    expect(target.writes).toHaveLength(1)
    output.flush()
    expect(target.writes.join('')).toBe(line.repeat(100))
  })

  it('writes the queue once when flushed', async () => {
    const { target, output } = pipe()
    output.write('a\n')
    output.flush()
    await nextTurn()
    expect(target.writes).toEqual(['a\n'])
  })

  it.each(['flushAtExit', 'lost'] as const)('waits for a full pipe (%s)', async (end) => {
    const { target, output } = pipe(4)
    output.write('one line\n')
    await output[end]()
    expect(target.writes.join('')).toBe('one line\n')
    expect(target.waits).toBe(2)
  })

  it('drops log lines while 16 MiB are unread, but no other text', () => {
    const { target, output } = pipe(0)
    const text = 'a'.repeat(1 << 20)
    for (let n = 0; n < 20; n++) output.writeLine(text)
    output.write('end')
    target.room = Infinity
    output.flushAtExit()
    expect(target.writes.join('')).toBe(`${text.repeat(16)}end`)
  })

  it('stops writing after an error', async () => {
    const { target, output } = pipe()
    target.error = 'EPIPE'
    output.write('a\n')
    output.flush()
    target.error = undefined
    output.write('b\n')
    output.flush()
    expect(target.writes).toEqual([])
    expect(output.gone.aborted).toBe(true)
  })

  it.each([
    ['ENOSPC', 'no room'],
    ['EPIPE', undefined],
  ])('reports the loss after an error (%s)', async (code, lost) => {
    const { target, output } = pipe()
    target.error = code
    output.write('a\n')
    expect((await output.lost())?.message).toBe(lost)
  })
})

describe('a process that logs to standard output', () => {
  /** Runs `source` with `log` and `output` in scope. */
  async function run(source: string) {
    const prelude = `
      import { writeSync } from 'node:fs'
      import { createLog, createOutput } from './src/lib/log/log.ts'
      const output = createOutput((bytes) => writeSync(process.stdout.fd, bytes))
      process.on('exit', output.flushAtExit)
      const log = createLog({ level: 'info', terminal: false, now: Date.now, write: output.write })
    `
    return spawn(process.execPath, [await bundledScript(prelude + source)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  it.each(['process.exit(0)', `throw new Error('died')`])('loses no line before %s', async (end) => {
    const child = await run(`for (let id = 0; id < 2000; id++) log.info('line', { id }); ${end}`)
    let text = ''
    // More than fits into a pipe is pending when the process ends.
    child.stdout.pause()
    await once(child.stdout, 'readable')
    child.stdout.on('data', (chunk) => (text += chunk))
    await once(child, 'close')
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(2000)
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ id: 1999 })
  })

  it('continues after the reader of its output has gone', async () => {
    const child = await run(`
      let turns = 0
      const turn = () => {
        log.info('line')
        if (turns++ < 200) setTimeout(turn, 1)
        else console.error('still here')
      }
      turn()
    `)
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const [code] = await once(child, 'close')
    expect({ code, said }).toEqual({ code: 0, said: 'still here\n' })
  })
})
