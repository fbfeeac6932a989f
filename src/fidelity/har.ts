/** HAR 1.2: entries, a file that stays readable after a crash, and a reader of other tools' files. */
import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import * as z from 'zod'
import { isRecord } from '../lib/objects.ts'
import { lazy } from '../lib/lazy.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { createListCutter } from '../lib/text/list-cutter.ts'

/** Name-value pairs; other tools omit them, or write numbers. */
const pairs = () =>
  z
    .unknown()
    .optional()
    .transform((value): { name: string; value: string }[] =>
      (Array.isArray(value) ? value.filter(isRecord) : []).map(({ name, value: text }) => ({
        name: String(name),
        value: String(text),
      })),
    )
const text = () => z.string().optional().catch(undefined)
const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z'

/** One exchange. Only URL, method and status must exist; what other tools omit is filled in. */
const entrySchema = lazy(() =>
  z.looseObject({
    startedDateTime: z
      .string()
      .refine((time) => !Number.isNaN(Date.parse(time)))
      .catch(UNKNOWN_TIME),
    /** Milliseconds. */
    time: z.number().catch(0),
    request: z.looseObject({
      url: z.string().refine(isUrl),
      method: z.string().toUpperCase(),
      headers: pairs(),
      postData: z
        .looseObject({ mimeType: z.string().catch(''), text: text(), params: pairs(), comment: text() })
        // Form bodies of browsers are a list of parameters.
        .transform(({ params, text: body, ...rest }) => ({
          ...rest,
          text:
            body ??
            String(new URLSearchParams(params.map(({ name, value }): [string, string] => [name, value]))),
        }))
        .optional()
        .catch(undefined),
    }),
    response: z.looseObject({
      /** 0 if the connection broke before the response. */
      status: z.number(),
      headers: pairs(),
      content: z
        .looseObject({
          size: z.number().catch(0),
          mimeType: z.string().catch(''),
          text: text(),
          encoding: text(),
          comment: text(),
        })
        .catch({ size: 0, mimeType: '', text: undefined, encoding: undefined, comment: undefined })
        .transform(({ encoding, text: body, ...rest }) => ({
          ...rest,
          ...(body !== undefined && {
            text: encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body,
          }),
        })),
    }),
    /** Marks a callback of the service to the shop. */
    _callback: z.looseObject({ transaction: text() }).optional().catch(undefined),
    /** Hashes of the pseudonyms that first occur in this entry. */
    _pseudonyms: z.array(z.string()).optional().catch(undefined),
    _error: text(),
  }),
)
export type HarEntry = z.infer<ReturnType<typeof entrySchema>>
export type Pairs = HarEntry['request']['headers']

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
/** Bytes of a recording that can be read. */
const LARGEST = 500_000_000
/** Characters of entries that wait for the disk. */
const MOST_WAITING = 67_108_864

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

  const write = async (entry: string) => {
    const bytes = Buffer.from(`${written === 0 ? '' : ',\n'}${entry}${TAIL}`)
    try {
      await writeAt(file, bytes, end)
      end += bytes.length - TAIL.length
      written += 1
      if (failing) report(`writing ${path} works again; ${lost} exchanges are missing`)
      failing = false
    } catch (error) {
      lost += 1
      const rest = 'the proxy keeps running, and exchanges are missing from the recording until it works'
      if (!failing) report(`cannot write ${path}: ${(error as Error).message}; ${rest}`)
      failing = true
      // Removes the incomplete entry. The end of the document was on the disk before, so there is room for it.
      await file.truncate(end).catch(() => {})
      await writeAt(file, Buffer.from(TAIL), end).catch(() => {})
    }
  }
  return {
    add(entry: HarEntry): void {
      const line = JSON.stringify(entry)
      if (waiting + line.length > MOST_WAITING) return void (lost += 1)
      waiting += line.length
      last = last.then(() => write(line)).finally(() => (waiting -= line.length))
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

/** A recording that cannot be read or written. The message is for the user. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

/** Characters outside the entries and of one entry, and the number of entries. */
const MOST = { around: 1 << 24, item: 1 << 24, entries: Infinity }

/** Reads a HAR file, also a cut one. @throws RecordingError */
export async function readRecording(path: string): Promise<Recording> {
  const reader = createRecordingReader(path)
  try {
    for await (const bytes of createReadStream(path)) reader.write(bytes as Buffer)
  } catch (error) {
    if (error instanceof RecordingError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new RecordingError(code === 'ENOENT' ? `${path}: no such file` : `${path}: ${message}`)
  }
  return reader.end()
}

/** Reads a recording as it arrives. @param name - The name in messages. */
export function createRecordingReader(name: string, most = MOST) {
  const taken: HarEntry[] = []
  const notes: string[] = []
  const hash = createHash('sha256')
  const decoder = new TextDecoder()
  let received = 0
  let count = 0
  let isEntry = false
  const list = (of: string) => void (isEntry = of === 'entries')
  const item = (value: unknown) => isEntry && take(value, cutter.place)
  const cutter = createListCutter('log', { list, item }, most)

  /** @throws RecordingError with line and column */
  function write(bytes: Uint8Array): void {
    received += bytes.length
    hash.update(bytes)
    if (received > LARGEST)
      throw new RecordingError(
        `${name}: has more than ${LARGEST} bytes; split its entries into several files`,
      )
    // Other tools write a byte order mark, which the decoder removes.
    const text = decoder.decode(bytes, { stream: true })
    try {
      cutter.write(text)
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
      const { line, column } = cutter.place
      throw new RecordingError(`${name}:${line}:${column}: entry ${count}: ${error.message}`)
    }
  }

  /** @throws RecordingError */
  function end(): Recording {
    let around: unknown
    try {
      around = cutter.end()
    } catch {
      if (count === 0)
        throw new RecordingError(
          `${name}: is neither JSON nor a recording of payments-sandbox; pass a HAR file, such as the output of GET /sandbox/requests/har`,
        )
      notes.push(`the file is cut: ${count} complete entries are used`)
    }
    if (isRecord(around) && !(isRecord(around['log']) && Array.isArray(around['log']['entries'])))
      throw new RecordingError(`${name}: has no log.entries, as HAR files have`)
    const entries = taken.toSorted((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime))
    return { entries, sha256: hash.digest('hex'), notes }
  }

  function take(value: unknown, place?: ReturnType<typeof createListCutter>['place']): void {
    const n = count++
    if (n >= most.entries)
      throw new RecordingError(
        `${name}: has more than ${most.entries} entries; compare it with payments-sandbox compare`,
      )
    const at = place ? `${name}:${place.line}:${place.column}: ` : ''
    const read = entrySchema().safeParse(value)
    if (!read.success) {
      const field = read.error.issues[0]!.path.join('.') || 'request'
      notes.push(`${at}entry ${n} has no usable ${field}, and is not used`)
      return
    }
    if (read.data.startedDateTime === UNKNOWN_TIME)
      notes.push(`${at}entry ${n} has no time; it is taken as the first`)
    taken.push(read.data)
  }
  return { write, end }
}

export const headerIn = (headers: Pairs, name: string): string | undefined =>
  headers.find((each) => each.name.toLowerCase() === name)?.value
