/** What a test file has opened and closes when it is over, the last first. */
const opened: (() => Promise<unknown>)[] = []

/** Has something closed after the tests of this file; a hook that a test sets itself is never run. */
export function closeLater(close: () => Promise<unknown>): void {
  opened.push(close)
}

export async function closeAll(): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close()
}
