const units = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 } as const

export const byteForms = 'a size such as 500KB, 64MB or 2GB, or a plain number of bytes'

/** Parses `64MB`, `1.5GB` or a number of bytes. Returns undefined if the text is invalid. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(KB|MB|GB)$/.exec(text) ?? /^(\d+)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const bytes = Math.round(Number(digits) * (unit ? units[unit as keyof typeof units] : 1))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Formats bytes in the largest unit, with at most one decimal: `64MB`, `1.5GB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => bytes >= size) ?? ['', 1]
  return `${Math.round((bytes / size) * 10) / 10}${unit || ' bytes'}`
}
