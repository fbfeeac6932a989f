/** The sheets of operations, each loaded once. */
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'

const asked = new Map<string, Promise<ShownSheet>>()

/** @throws {Error} with a message for the reader */
export function sheetAt(server: string, operation: string): Promise<ShownSheet> {
  const url = `${server}/docs/embed/${encodeURIComponent(operation)}.json`
  const known = asked.get(url)
  if (known) return known
  const reading = read(url, server)
  asked.set(url, reading)
  reading.catch(() => asked.delete(url))
  return reading
}

async function read(url: string, server: string): Promise<ShownSheet> {
  // The browser revalidates its copy by the ETag.
  const answer = await fetch(url, { credentials: 'omit' }).catch(() => undefined)
  if (!answer)
    throw new Error(
      `${server} did not answer this page: it is not running, or SANDBOX_EMBED_ORIGINS does not name ${location.origin}`,
    )
  const body = await answer.json()
  if (!answer.ok) throw new Error(String(body.error_message))
  return body as ShownSheet
}
