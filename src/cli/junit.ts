import { escaped } from '../lib/text/escaped.ts'

/** One file's outcome, for tools that read JUnit. */
export interface ScenarioResult {
  readonly name: string
  readonly title: string
  readonly source: string
  /** What was wrong; none: it holds. */
  readonly failures: readonly string[]
  readonly ms: number
}

export function junitOf(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const cases = results.map(({ name, title, source, failures, ms }) => {
    const failure = failures.length > 0 ? `<failure message="${escaped(failures.join('; '))}"/>` : ''
    return `    <testcase classname="${escaped(source)}" name="${escaped(`${name}: ${title}`)}" time="${ms / 1000}">${failure}</testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="scenarios" tests="${results.length}" failures="${failed}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`
}
