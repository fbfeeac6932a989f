/** Files of reports and of keys, as whoever was handed one names them. */
import { open } from 'node:fs/promises'
import { oneLine } from '../certify/reports/words.ts'
import { type PublishedKey, type ReadReport, readKeys, UnreadableReport } from '../certify/verify.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { KEY_SET_PATH } from '../callbacks/signatures/report-key.ts'
import { reasonOf } from './unreachable.ts'

/** Characters of a signed report, and of a key set. */
export const MOST_TEXT = 1_048_576

/** Milliseconds. */
const WITHIN = 10_000

/** Names what could not be read in front of why. @throws UnreadableReport */
export async function told<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new UnreadableReport(`${oneLine(what)}: ${oneLine(why).slice(0, 500)}`)
  }
}

/** The keys that a report may be signed with; none for one that is unsigned. @param named a file or an address; left out, of the sandbox that the report names */
export async function keysFor(
  report: ReadReport,
  named: string | undefined,
): Promise<{ readonly from: string; readonly keys: readonly PublishedKey[] }> {
  const from = named ?? sandboxOf(report)
  const text = () => (named === undefined ? fetched(from + KEY_SET_PATH) : keyText(from))
  return { from, keys: report.jws ? await told(from, async () => readKeys(await text())) : [] }
}

/** Where the sandbox is that the report names, which may be below a path; whatever else stands in its address is let go. */
function sandboxOf({ jws, certification }: ReadReport): string {
  const { url } = certification.sandbox
  if (!jws) return url
  if (isWeb(url)) {
    const { origin, pathname } = new URL(url)
    return origin + pathname.replace(/\/+$/, '')
  }
  throw new UnreadableReport(
    'the report does not say where its sandbox is; say where the key is with --public-key, a file or an address',
  )
}

const isWeb = (text: string) => /^https?:\/\//i.test(text) && isUrl(text)

const keyText = (from: string) => (isWeb(from) ? fetched(keyAddress(from)) : textOf(from, MOST_TEXT))

/** An address without a path is that of a sandbox. */
function keyAddress(from: string): string {
  return /\.json$|jwks/.test(new URL(from).pathname) ? from : from.replace(/\/+$/, '') + KEY_SET_PATH
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN), redirect: 'error' }).catch(
    (error: unknown) => {
      throw new UnreadableReport(reasonOf(error, url))
    },
  )
  if (!response.ok) throw new UnreadableReport(`it answers ${response.status}, and has no key set`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MOST_TEXT) throw tooLarge(MOST_TEXT)
  }
  return text
}

/** A file of which no more is read than is needed to see that it is too large. @param most bytes */
export async function textOf(file: string, most: number): Promise<string> {
  const handle = await open(file)
  try {
    const pieces: Buffer[] = []
    let length = 0
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536)
      if (bytesRead === 0) return Buffer.concat(pieces, length).toString()
      pieces.push(buffer.subarray(0, bytesRead))
      length += bytesRead
      if (length > most) throw tooLarge(most)
    }
  } finally {
    await handle.close()
  }
}

const tooLarge = (most: number) =>
  new UnreadableReport(`it is larger than ${most / MOST_TEXT} MiB, and so no report`)
