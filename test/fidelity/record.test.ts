import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHarFile, headerIn, readRecording } from '../../src/fidelity/har.ts'
import { CALLBACKS } from '../../src/fidelity/record.ts'
import { temporaryFolder } from '../support/folder.ts'
import { commandLine, ended } from '../cli/process.ts'
import { bundledScript } from '../support/process.ts'
import { cert, key, listen, recording } from './service.ts'

const serving = async (handler: RequestListener) => `http://127.0.0.1:${await listen(createServer(handler))}`

const answering = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  serving((incoming, outgoing) => {
    incoming.resume()
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })

/** Sends a request without the conveniences of `fetch`. */
const send = (url: string, options: object = {}, body?: string | Buffer) =>
  new Promise<{ message: IncomingMessage; body: Buffer }>((resolve, reject) => {
    const sent = request(url, options, (message) => {
      buffer(message).then((read) => resolve({ message, body: read }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })

describe('the recording proxy', () => {
  it('passes method, path, headers and bytes on unchanged', async () => {
    const seen: { url: string; headers: string[]; body: string }[] = []
    const service = await serving(async (incoming, outgoing) => {
      seen.push({
        url: incoming.url!,
        headers: incoming.rawHeaders,
        body: (await buffer(incoming)).toString(),
      })
      outgoing
        .writeHead(418, 'Teapot', ['X-One', 'a', 'X-One', 'b', 'Set-Cookie', 'sid=1'])
        .end('{ "odd":1.00 }')
    })
    const { url, entries, recorded } = await recording(`${service}/base/`)
    const { message, body } = await send(
      `${url}/api/v2/withdraw?a=1&a=%20`,
      { method: 'PUT', headers: { 'X-Odd-Case': 'yes', Authorization: 'Basic ZGVtbzpkZW1v' } },
      '{"b" : 2}',
    )
    expect(seen[0]!.url).toBe('/base/api/v2/withdraw?a=1&a=%20')
    expect(seen[0]!.headers).toEqual(expect.arrayContaining(['X-Odd-Case', 'yes', 'Authorization']))
    expect(seen[0]!.body).toBe('{"b" : 2}')
    expect([message.statusCode, message.statusMessage]).toEqual([418, 'Teapot'])
    expect(message.rawHeaders.filter((each) => /^x-one$/i.test(each))).toHaveLength(2)
    expect(body.toString()).toBe('{ "odd":1.00 }')
    await recorded(1)
    expect(entries[0]).toMatchObject({
      request: { method: 'PUT' },
      response: { status: 418, content: { text: '{ "odd":1.00 }' } },
    })
  })

  it('streams a response as it arrives', async () => {
    let finish = () => {}
    const service = await serving((_, outgoing) => {
      outgoing.write('first')
      finish = () => outgoing.end('last')
    })
    const { url, entries, recorded } = await recording(service)
    const response = await fetch(url)
    const reader = response.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
    finish()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('last')
    await recorded(1)
    expect(entries[0]!.response.content.text).toBe('firstlast')
  })

  it('records a compressed response decoded, and passes it on compressed', async () => {
    const packed = gzipSync('{"amount":10}')
    const { url, entries, recorded } = await recording(
      await answering(packed, { 'content-encoding': 'gzip' }),
    )
    expect((await send(url)).body).toEqual(packed)
    await recorded(1)
    expect(entries[0]!.response.content.text).toBe('{"amount":10}')
  })

  it('passes on a response that would expand to gigabytes, and does not record its body', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000))
    const { url, entries, recorded } = await recording(
      await answering(packed, { 'content-encoding': 'gzip' }),
    )
    expect((await send(url)).body).toEqual(packed)
    await recorded(1)
    expect(entries[0]!.response.content).toMatchObject({ comment: 'the body cannot be decoded from gzip' })
    expect(entries[0]!.response.content).not.toHaveProperty('text')
  })

  it('breaks the connection of the client if the service is down or breaks off, and records it', async () => {
    const gone = await recording('http://127.0.0.1:1')
    await expect(send(gone.url)).rejects.toThrow('socket hang up')
    await gone.recorded(1)
    expect(gone.entries[0]).toMatchObject({ _error: 'ECONNREFUSED', response: { status: 0 } })
    const cut = await serving((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' }).write('half')
      setImmediate(() => outgoing.destroy())
    })
    const broken = await recording(cut)
    await expect(send(broken.url)).rejects.toThrow('aborted')
    await broken.recorded(1)
    expect(broken.entries[0]!.response).toMatchObject({ status: 200, content: { size: 4 } })
    expect(broken.entries[0]).toHaveProperty('_error')
  })

  it('never sends a request twice', async () => {
    let requests = 0
    const service = await serving((incoming) => {
      requests += 1
      incoming.socket.destroy()
    })
    const { url, recorded } = await recording(service)
    await expect(send(url, { method: 'POST' }, '{}')).rejects.toThrow('socket hang up')
    await recorded(1)
    expect(requests).toBe(1)
  })

  it('passes 300 MB in both directions in little memory, and records the beginning', async () => {
    const chunk = Buffer.alloc(1_048_576, 'a')
    const service = await serving((incoming, outgoing) => void incoming.pipe(outgoing))
    const { url, entries, recorded } = await recording(service)
    let length = 0
    let most = 0
    await new Promise<void>((resolve, reject) => {
      const sent = request(url, { method: 'POST' }, (message) => {
        message.on('data', (part: Buffer) => {
          length += part.length
          most = Math.max(most, process.memoryUsage().arrayBuffers)
        })
        message.on('end', resolve)
      })
      sent.on('error', reject)
      let left = 300
      const more = () => {
        while (left > 0) if ((left--, !sent.write(chunk))) return void sent.once('drain', more)
        sent.end()
      }
      more()
    })
    await recorded(1)
    expect(length).toBe(314_572_800)
    // Less than the 600 MB that pass; the garbage collector decides when it frees buffers.
    expect(most).toBeLessThan(300_000_000)
    const { request: asked, response } = entries[0]!
    for (const { text, comment } of [asked.postData!, response.content]) {
      expect(text).toHaveLength(1_048_576)
      expect(comment).toBe('the first 1048576 of 314572800 bytes')
    }
  })

  it('speaks HTTP/2 with a service that prefers it', async () => {
    const server = createSecureServer({ key, cert }, (incoming, outgoing) => {
      void buffer(incoming).then((body) => {
        outgoing.writeHead(201, { 'content-type': 'application/json', 'x-version': incoming.httpVersion })
        outgoing.end(body)
      })
    })
    const port = await listen(server)
    const { url, entries, recorded } = await recording(`https://localhost:${port}`, { ca: cert })
    for (const n of [1, 2]) {
      const { message, body } = await send(url, { method: 'POST' }, `{"n":${n}}`)
      expect([message.statusCode, message.headers['x-version'], body.toString()]).toEqual([
        201,
        '2.0',
        `{"n":${n}}`,
      ])
    }
    await recorded(2)
    expect(entries[0]!.response['httpVersion']).toBe('HTTP/2.0')
  })
})

describe('callbacks', () => {
  const shop = async () => {
    const received: { url: string; headers: IncomingMessage['headers']; body: string }[] = []
    const url = await serving(async (incoming, outgoing) => {
      received.push({
        url: incoming.url!,
        headers: incoming.headers,
        body: (await buffer(incoming)).toString(),
      })
      outgoing.writeHead(202).end('thanks')
    })
    return { url, received }
  }

  it('are forwarded byte for byte with a public address, and belong to the payment', async () => {
    const { url: receiver, received } = await shop()
    let asked = { callback_url: '', note: '' }
    const service = await serving(async (incoming, outgoing) => {
      asked = JSON.parse((await buffer(incoming)).toString())
      outgoing.writeHead(201).end('{}')
    })
    const proxy: { publicUrl?: string } = {}
    const { url, entries, recorded } = await recording(service, {
      get publicUrl() {
        return proxy.publicUrl ?? 'http://replaced'
      },
    })
    proxy.publicUrl = url
    const text = JSON.stringify({ callback_url: `${receiver}/hooks?shop=1`, note: 'ü' })
    await send(
      `${url}/api/v2/payments`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      text,
    )
    expect(asked.callback_url).toMatch(`${CALLBACKS}/`)
    expect(asked.note).toBe('ü')
    const sent = '{"reference": "UFU1.iI",  "amount":1.00}'
    const headers = { 'content-type': 'application/json', 'webhook-signature': 'v1,abc=' }
    const callback = new URL(asked.callback_url)
    const { message, body } = await send(`${url}${callback.pathname}`, { method: 'POST', headers }, sent)
    expect([message.statusCode, body.toString()]).toEqual([202, 'thanks'])
    expect(received[0]).toMatchObject({ url: '/hooks?shop=1', body: sent, headers })
    await recorded(2)
    expect(JSON.parse(entries[0]!.request.postData!.text).callback_url).toBe(`${receiver}/hooks?shop=1`)
    expect(entries[1]).toMatchObject({
      _callback: { transaction: 'UFU1.iI' },
      request: { url: `${receiver}/hooks?shop=1` },
    })
  })

  it('without a known address go to --callbacks, and without that are refused', async () => {
    const { url: receiver, received } = await shop()
    const service = await answering('{}')
    const one = await recording(service, { callbacks: `${receiver}/cb` })
    expect(
      (await send(`${one.url}${CALLBACKS}`, { method: 'POST' }, '{"reference":"R"}')).message.statusCode,
    ).toBe(202)
    expect(received[0]).toMatchObject({ url: '/cb', body: '{"reference":"R"}' })
    const other = await recording(service)
    expect(
      (await send(`${other.url}${CALLBACKS}/unknown`, { method: 'POST' }, '{}')).message.statusCode,
    ).toBe(404)
  })
})

describe('the file', () => {
  const folder = temporaryFolder()
  const entry = (n: number, text = '') => ({
    startedDateTime: `2026-11-23T10:00:0${n}.000Z`,
    time: 1,
    request: { method: 'GET', url: `http://a.example/${n}`, headers: [] },
    response: { status: 200, headers: [], content: { size: 0, mimeType: 'text/plain', text } },
  })

  it('is complete JSON after every entry, readable by its owner only, and never overwritten', async () => {
    const path = join(folder, 'whole.har')
    const file = await createHarFile(path, '1.0.0', () => {})
    expect(JSON.parse(await readFile(path, 'utf8')).log.entries).toEqual([])
    for (const n of [1, 2, 3]) file.add(entry(n))
    await file.close()
    expect(JSON.parse(await readFile(path, 'utf8')).log.entries).toHaveLength(3)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await expect(createHarFile(path, '1.0.0', () => {})).rejects.toThrow('EEXIST')
  })

  it('keeps its complete entries, and reports, when the disk is full', async () => {
    const path = join(folder, 'full.har')
    // The limit of the file's size stands for the end of the disk: 64 blocks of 1,024 bytes.
    const script = `
      import { createHarFile } from './src/fidelity/har.ts'
      process.on('SIGXFSZ', () => {})
      const file = await createHarFile(process.argv[2], '1', (message) => console.log(message))
      const entry = ${JSON.stringify(entry(1, 'x'.repeat(20_000)))}
      for (let n = 0; n < 5; n++) file.add(entry)
      file.add({ ...entry, time: 2, response: { ...entry.response, content: { size: 0, mimeType: '' } } })
      await file.close()
      console.log(JSON.stringify(file.counts()))`
    const limited = ['-c', 'ulimit -f 64 && exec "$0" "$@"', process.execPath]
    const child = spawn('bash', [...limited, await bundledScript(script), path])
    const printed = (await buffer(child.stdout)).toString()
    expect(printed).toContain('the proxy keeps running')
    expect(printed).toContain('{"written":4,"lost":2}')
    const { entries, notes } = await readRecording(path)
    expect([entries.length, entries.at(-1)!.time, notes]).toEqual([4, 2, []])
  })

  it('is read up to the last complete entry if it is cut', async () => {
    const path = join(folder, 'cut.har')
    const file = await createHarFile(path, '1.0.0', () => {})
    for (const n of [1, 2, 3]) file.add(entry(n))
    await file.close()
    const { writeFile } = await import('node:fs/promises')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.slice(0, -60))
    const { entries, notes } = await readRecording(path)
    expect(entries).toHaveLength(2)
    expect(notes).toEqual(['the file is cut: 2 complete entries are used'])
  })

  it('of another tool may lack parts', async () => {
    const path = join(folder, 'other.har')
    const { writeFile } = await import('node:fs/promises')
    const other = {
      log: {
        entries: [
          { request: { method: 'get', url: 'http://a.example/' }, response: { status: 204 } },
          { request: {} },
          null,
          'text',
        ],
      },
    }
    await writeFile(path, `\uFEFF${JSON.stringify(other)}`)
    const { entries, notes } = await readRecording(path)
    expect(entries).toMatchObject([
      { request: { method: 'GET', headers: [] }, response: { content: { mimeType: '' } } },
    ])
    expect(notes).toEqual([
      `${path}:1:20: entry 0 has no time; it is taken as the first`,
      `${path}:1:101: entry 1 has no usable request.url, and is not used`,
      `${path}:1:116: entry 2 has no usable request, and is not used`,
      `${path}:1:121: entry 3 has no usable request, and is not used`,
    ])
    await expect(readRecording(folder)).rejects.toThrow('EISDIR')
    await expect(readRecording(join(folder, 'none.har'))).rejects.toThrow('no such file')
    await writeFile(path, '<html>')
    await expect(readRecording(path)).rejects.toThrow('is neither JSON nor a recording')
  })
})

describe('the command record', () => {
  const folder = temporaryFolder()

  it('refuses its own address as the service', async () => {
    const { code, err } = await ended(['record', '--service', 'http://127.0.0.1:18082', '--port', '18082'])
    expect([code, err]).toEqual([2, expect.stringContaining('is this proxy')])
  })

  it('records until it is stopped, without credentials, and verifies the recording', async () => {
    const service = await answering('{"phone_number":"254712345678"}')
    const path = join(folder, 'session.har')
    const running = commandLine(['record', '--service', service, '--port', '0', '--out', path, '--json'])
    await running.shown('"recording"')
    const { url } = JSON.parse(running.printed.out.split('\n')[0]!)
    await send(`${url}/api/v2/payment_channels`, {
      headers: { authorization: `Basic ${btoa('shop:topsecret')}` },
    })
    await running.shown('"exchange"')
    running.stop()
    expect(await running.code).toBe(0)
    const text = await readFile(path, 'utf8')
    expect(text).not.toContain(btoa('shop:topsecret'))
    expect(text).not.toContain('254712345678')
    const { entries } = await readRecording(path)
    expect(headerIn(entries[0]!.request.headers, 'authorization')).toBe('Basic [redacted 1]')
    const verified = await ended(['record', '--verify', path, '--json'])
    expect([verified.code, verified.out]).toEqual([0, '{"kind":"verified","entries":1,"leaks":0}\n'])
  })

  it('keeps all data only after a typed confirmation', async () => {
    const path = join(folder, 'plain.har')
    const args = [
      'record',
      '--service',
      'http://127.0.0.1:1',
      '--port',
      '0',
      '--out',
      path,
      '--redact',
      'none',
    ]
    const refused = await ended(args)
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('keep personal data')])
    const asked: (string | undefined)[] = []
    const confirm = async (_: string, words?: string) => asked.push(words) > 0
    const running = commandLine(args, {}, { confirm })
    await running.shown('recording')
    running.stop()
    expect(await running.code).toBe(0)
    expect(asked).toEqual(['keep personal data'])
  })

  it('refuses a file that exists, a missing service and a port in use', async () => {
    const path = join(folder, 'exists.har')
    const file = await createHarFile(path, '1', () => {})
    await file.close()
    const port = new URL(await answering('')).port
    const service = ['--service', 'http://127.0.0.1:1']
    expect(await ended(['record', ...service, '--out', path])).toMatchObject({
      code: 2,
      err: `${path} exists; pass another with --out, or delete it\n`,
    })
    expect((await ended(['record'])).err).toContain("'--service <address>'")
    const taken = await ended(['record', ...service, '--port', port, '--out', join(folder, 'p.har')])
    expect(taken).toMatchObject({ code: 3, err: `port ${port} is in use; pass another with --port\n` })
  })

  it('leaves a readable file after kill -9', async () => {
    const service = await answering('{"n":1}')
    const path = join(folder, 'killed.har')
    const flags = ['--service', service, '--port', '0', '--out', path, '--json']
    const child = spawn(process.execPath, ['build/run.mjs', 'record', ...flags])
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = child.stdout[Symbol.asyncIterator]()
    let printed = ''
    const until = async (text: string) => {
      while (!printed.includes(text)) printed += String((await lines.next()).value)
    }
    await until('"recording"')
    const { url } = JSON.parse(printed.split('\n')[0]!)
    for (let n = 0; n < 20; n++) await send(url)
    await until('"exchange"')
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('exit', resolve))
    const { entries } = await readRecording(path)
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.every(({ response }) => response.content.text === '{"n":1}')).toBe(true)
  })
})
