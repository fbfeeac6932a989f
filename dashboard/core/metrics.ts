/** The displayed metrics; counters start with the process. */
export interface Metrics {
  readonly requests: number
  readonly callbacks: number
  readonly bytes: number
}

/** @param text - in the Prometheus format */
export function metricsIn(text: string): Metrics {
  const sums = new Map<string, number>()
  for (const line of text.split('\n')) {
    const found = /^(\w+)(?:\{[^}]*\})? ([\d.eE+-]+)$/.exec(line)
    if (found) sums.set(found[1]!, (sums.get(found[1]!) ?? 0) + Number(found[2]))
  }
  const of = (name: string) => sums.get(name) ?? 0
  return {
    requests: of('sandbox_requests_total'),
    callbacks: of('sandbox_callback_attempts_total'),
    bytes: of('sandbox_worlds_bytes'),
  }
}
