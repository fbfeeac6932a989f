/** `test/fuzz/run [CASES] [SEED]`, or `FUZZ_CASES` and `FUZZ_SEED`. */
import { fuzz, type Failure } from './fuzz.ts'

const [cases = process.env['FUZZ_CASES'] ?? '5000', seed = process.env['FUZZ_SEED'] ?? '1'] =
  process.argv.slice(2)

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function show({ number, request, why }: Failure): string {
  const { id, method, path, headers, body } = request
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const data =
    body === undefined
      ? ''
      : ` --data-raw ${quoted(body.length > 3_000 ? `${body.slice(0, 3_000)}… (${body.length})` : body)}`
  return `case ${number} ${id}\n  curl -X ${method} ${quoted(`http://127.0.0.1:8080${path}`)} ${parts.join(' ')}${data}\n  ${why.slice(0, 2_000).replaceAll('\n', '\n  ')}\n`
}

const { failures, statuses, slowest } = await fuzz(Number(cases), Number(seed))
for (const failure of failures.slice(0, 50)) console.log(show(failure))
console.log(
  [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, times]) => `${status}: ${times}`)
    .join(', '),
)
console.log(
  `slowest: ${slowest.ms.toFixed(0)} ms, ${slowest.request?.method} ${slowest.request?.path.slice(0, 200)}`,
)
console.log(`${cases} cases, ${failures.length} failures, seed ${seed}`)
process.exit(failures.length > 0 ? 1 : 0)
