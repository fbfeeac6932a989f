/** HAR 1.2: entries, a file that stays readable after a crash, and a reader of other tools' files. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { isUrl } from '../lib/text/is-url.ts'
import { isRecord } from '../lib/objects.ts'

interface Field {
  readonly name: string
  readonly value: string
}

/** One exchange; fields of HAR that are missing in other tools' files are optional. */
export interface HarEntry {
  readonly startedDateTime: string
  /** Milliseconds. */
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly httpVersion?: string
    readonly headers: readonly Field[]
    readonly postData?: { readonly mimeType: string; readonly text: string; readonly comment?: string }
    readonly [name: string]: unknown
  }
  readonly response: {
    /** 0 if the connection broke before the response. */
    readonly status: number
    readonly headers: readonly Field[]
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text?: string
      readonly comment?: string
    }
    readonly [name: string]: unknown
  }
  readonly comment?: string
  /** Marks a callback of the service to the shop. */
  readonly _callback?: { readonly transaction?: string }
  /** Hashes of the pseudonyms that first occur in this entry. */
  readonly _pseudonyms?: readonly string[]
  readonly _error?: string
  readonly [name: string]: unknown
}

export interface Recording {
  readonly entries: readonly HarEntry[]
  /** SHA-256 of the file. */
  readonly sha256: string
  /** Explains what could not be read. */
  readonly notes: readonly string[]
}

const HEAD = (version: string) =>
  `{"log":{"version":"1.2","creator":{"name":"payments-sandbox","version":${JSON.stringify(version)}},"pages":[],"entries":[\n`
const TAIL = '\n]}}\n'
/** Characters of entries that wait for the disk. */
const MOST_WAITING = 67_108_864

export type HarFile = Awaited<ReturnType<typeof createHarFile>>

/**
 * Creates a recording. Each entry is one line, and each write ends the document again, so the file is complete after every entry.
 * @param report - Called once when writing fails, and once when it works again.
 * @throws {Error} If the file exists or cannot be created.
 */
export async function createHarFile(path: string, version: string, report: (message: string) => void) {
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600)
  const head = Buffer.from(HEAD(version))
  await writeAt(file, Buffer.concat([head, Buffer.from(TAIL)]), 0)
  let end = head.length
  let written = 0
  let lost = 0
  let failing = false
  let waiting = 0
  let last = Promise.resolve()

  const write = async (text: string) => {
    const bytes = Buffer.from(`${written === 0 ? '' : ',\n'}${text}${TAIL}`)
    try {
      await writeAt(file, bytes, end)
      end += bytes.length - TAIL.length
      written += 1
      if (failing) report(`writing ${path} works again; ${lost} exchanges are missing`)
      failing = false
    } catch (error) {
      lost += 1
      if (!failing)
        report(
          `cannot write ${path}: ${(error as Error).message}; the proxy keeps running, and exchanges are missing from the recording until it works`,
        )
      failing = true
      // Removes the incomplete entry. The end of the document was on the disk before, so there is room for it.
      await file.truncate(end).catch(() => {})
      await writeAt(file, Buffer.from(TAIL), end).catch(() => {})
    }
  }
  return {
    add(entry: HarEntry): void {
      const text = JSON.stringify(entry)
      if (waiting + text.length > MOST_WAITING) {
        lost += 1
        return
      }
      waiting += text.length
      last = last.then(() => write(text)).finally(() => (waiting -= text.length))
    },
    counts: () => ({ written, lost }),
    async close(): Promise<void> {
      await last
      await file.close()
    },
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    if (bytesWritten === 0) throw new Error('nothing was written')
    done += bytesWritten
  }
}

/** A recording that cannot be read. The message is for the user. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

/** Reads a HAR file, the lines of a cut one, or the sandbox's own request log. @throws RecordingError */
export async function readRecording(path: string): Promise<Recording> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new RecordingError(code === 'ENOENT' ? `${path}: no such file` : `${path}: ${message}`)
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  // Other tools write a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const notes: string[] = []
  const found = entriesIn(text, path, notes)
  const entries = found.flatMap((each, n) => readEntry(each, n, notes))
  entries.sort((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime))
  return { entries, sha256, notes }
}

function entriesIn(text: string, path: string, notes: string[]): readonly unknown[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    const whole = text.split('\n').flatMap((line) => parsedLine(line.replace(/,\s*$/, '')))
    if (whole.length === 0)
      throw new RecordingError(
        `${path}: is neither JSON nor a recording of payments-sandbox; pass a HAR file, or the output of GET /sandbox/requests`,
      )
    notes.push(`the file is cut: ${whole.length} complete entries are used`)
    return whole
  }
  if (isRecord(parsed) && isRecord(parsed['log']) && Array.isArray(parsed['log']['entries']))
    return parsed['log']['entries']
  if (isRecord(parsed) && Array.isArray(parsed['requests'])) return parsed['requests'].map(fromRequestLog)
  throw new RecordingError(`${path}: has neither log.entries (HAR) nor requests (request log)`)
}

function parsedLine(line: string): readonly unknown[] {
  if (!line.startsWith('{"startedDateTime"')) return []
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** Converts an entry of GET /sandbox/requests. */
function fromRequestLog(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { at, method, path, headers, body, status, response, duration_ms } = value
  const type = { mimeType: 'application/json' }
  return {
    startedDateTime: at,
    time: duration_ms,
    request: {
      method,
      url: `http://sandbox.localhost${String(path)}`,
      headers,
      ...(body !== null && body !== '' && { postData: { ...type, text: textOf(body) } }),
    },
    response: { status: status ?? 0, headers: [], content: { ...type, text: textOf(response) } },
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Fills in what other tools omit; drops an entry without a URL, method or status. */
function readEntry(value: unknown, n: number, notes: string[]): readonly HarEntry[] {
  const request = isRecord(value) && isRecord(value['request']) ? value['request'] : {}
  const response = isRecord(value) && isRecord(value['response']) ? value['response'] : {}
  const { url, method, postData } = request
  const { status } = response
  const unusable =
    typeof url !== 'string' || !isUrl(url)
      ? 'request.url'
      : typeof method !== 'string'
        ? 'request.method'
        : typeof status !== 'number'
          ? 'response.status'
          : undefined
  if (unusable !== undefined || !isRecord(value)) {
    notes.push(`entry ${n} has no ${unusable} and is not used`)
    return []
  }
  const started = String(value['startedDateTime'])
  if (Number.isNaN(Date.parse(started))) notes.push(`entry ${n} has no time; it is taken as the first`)
  const content = isRecord(response['content']) ? response['content'] : {}
  const { callback, ...marks } = { callback: value['_callback'], ...value }
  return [
    {
      ...marks,
      startedDateTime: Number.isNaN(Date.parse(started)) ? '1970-01-01T00:00:00.000Z' : started,
      time: typeof value['time'] === 'number' ? value['time'] : 0,
      request: {
        ...request,
        method: String(method).toUpperCase(),
        url: String(url),
        headers: fieldsIn(request['headers']),
        ...(isRecord(postData) && { postData: postDataIn(postData) }),
      },
      response: {
        ...response,
        status: status as number,
        headers: fieldsIn(response['headers']),
        content: {
          size: 0,
          ...content,
          mimeType: String(content['mimeType'] ?? ''),
          ...(typeof content['text'] === 'string' && {
            text:
              content['encoding'] === 'base64'
                ? Buffer.from(content['text'], 'base64').toString('utf8')
                : content['text'],
          }),
        },
      },
      ...(isRecord(callback) && { _callback: callback }),
    } as HarEntry,
  ]
}

/** Form bodies of browsers are a list of parameters. */
function postDataIn({ mimeType, text, params }: Readonly<Record<string, unknown>>) {
  const form = fieldsIn(params).map(({ name, value }): [string, string] => [name, value])
  return {
    mimeType: String(mimeType ?? ''),
    text: typeof text === 'string' ? text : new URLSearchParams(form).toString(),
  }
}

const fieldsIn = (value: unknown): readonly Field[] =>
  Array.isArray(value)
    ? value.filter(isRecord).map(({ name, value: text }) => ({ name: String(name), value: String(text) }))
    : []

export const headerIn = (headers: readonly Field[], name: string): string | undefined =>
  headers.find((each) => each.name.toLowerCase() === name)?.value

/** Returns the JSON of a text, or undefined. */
export function jsonIn(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
