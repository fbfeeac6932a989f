/** The evidence of a certification in one archive, for the people who ask for it later. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Certification, Exchange } from '../certify/certification.ts'
import type { CheckedSignature } from '../certify/verify.ts'
import { reports } from '../certify/reports/reports.ts'
import { visible } from '../certify/reports/words.ts'

/**
 * Returns a `.tar.gz` with the certification as JSON, HTML and Markdown, the exchanges as HAR, the profile, the signed report,
 * and a manifest with the versions and the SHA-256 of each file. It is the same for the same certification.
 */
export async function bundleOf(
  certification: Certification,
  {
    profile,
    signed,
  }: { profile?: string | undefined; signed?: { text: string; checked: CheckedSignature } | undefined },
): Promise<Uint8Array> {
  const files = new Map<string, string>()
  for (const name of ['json', 'html', 'markdown', 'csv'] as const)
    files.set(reports[name].file, await reports[name].write(certification, signed?.checked))
  files.set('exchanges.har', harOf(certification))
  if (profile !== undefined) files.set('profile.yaml', profile)
  if (signed) files.set('report.signed.json', signed.text)
  const { subject, shop_version, sandbox, plan, profile_hash, witness, ended_at, expires_at, summary } =
    certification
  const manifest = {
    subject,
    shop_version,
    sandbox,
    plan,
    profile_hash,
    witness,
    ended_at,
    expires_at,
    standing: summary.standing,
    checks: certification.checks.map(({ id, version, verdict }) => ({ id, version, verdict })),
    signed_with: signed?.checked.key_id ?? null,
    files: Object.fromEntries(
      [...files].map(([name, text]) => [name, `sha256:${createHash('sha256').update(text).digest('hex')}`]),
    ),
  }
  files.set('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`)
  const time = Math.floor(Date.parse(ended_at) / 1000)
  return gzipSync(
    Buffer.concat([...[...files].flatMap(([name, text]) => tarEntry(name, text, time)), Buffer.alloc(1024)]),
  )
}

/** Returns a file as a POSIX tar entry: a header of 512 bytes, and the content in blocks of 512 bytes. */
function tarEntry(name: string, text: string, time: number): readonly Buffer[] {
  const content = Buffer.from(text)
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(`certification/${name}`, 0)
  header.write(octal(0o644, 8), 100)
  header.write(octal(0, 8) + octal(0, 8) + octal(content.length, 12) + octal(time, 12), 108)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
}

/** HTTP Archive 1.2 of all exchanges over HTTP, with the check and the purpose of each. */
function harOf({ checks, sandbox }: Certification): string {
  const entries = checks.flatMap(({ id, exchanges }) =>
    exchanges.filter(({ url }) => /^https?:/.test(url)).map((each) => entryOf(id, each)),
  )
  const creator = { name: 'payments-sandbox certify', version: sandbox.version }
  return `${JSON.stringify({ log: { version: '1.2', creator, entries } }, null, 2)}\n`
}

function entryOf(
  check: string,
  { kind, label, at, duration_ms, method, url, request, response, error }: Exchange,
) {
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  const mimeType = 'application/json'
  const answer = response ?? { status: 0, headers: [], body: '' }
  return {
    startedDateTime: at,
    time: duration_ms,
    request: {
      ...common,
      method,
      url,
      headers: request.headers,
      queryString: [],
      bodySize: -1,
      ...(request.body !== '' && { postData: { mimeType, text: request.body } }),
    },
    response: {
      ...common,
      status: answer.status,
      statusText: '',
      headers: answer.headers,
      redirectURL: '',
      bodySize: -1,
      content: { size: Buffer.byteLength(answer.body), mimeType, text: answer.body },
    },
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: visible(`${check} ${kind}: ${label}${error === '' ? '' : `, ${error}`}`),
  }
}
