/** As memory is counted. */
const units = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 } as const

/** What `parseBytes` takes, in words. */
export const byteForms = 'a size such as 500KB, 64MB or 2GB, or a plain number of bytes'

/** Reads `64MB`, `1.5GB` or a plain number of bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(KB|MB|GB)$/.exec(text) ?? /^(\d+)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const bytes = Math.round(Number(digits) * (unit ? units[unit as keyof typeof units] : 1))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Writes bytes in the largest unit there is one of, with a decimal where they are no whole number of it: `64MB`, `1.5GB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => bytes >= size) ?? ['', 1]
  return `${Math.round((bytes / size) * 10) / 10}${unit || ' bytes'}`
}
