/** Headers, and the trace in them (W3C Trace Context, https://www.w3.org/TR/trace-context/). */
import { createHash } from 'node:crypto'

/** Returns a header from alternating names and values; repeated headers are joined (RFC 9110, 5.3). */
export function headerIn(headers: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  let value: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const sent = headers[i]!
    if (sent.length !== wanted.length || (sent !== wanted && sent.toLowerCase() !== wanted)) continue
    value = value === undefined ? headers[i + 1]! : `${value}, ${headers[i + 1]!}`
  }
  return value
}

export interface Trace {
  /** In the form of version 00. */
  readonly traceparent: string
  readonly tracestate?: string | undefined
}

const PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const NONE = /^0+$/
/** The flags of version 00: sampled, and random trace id. */
const FLAGS = 0b11

/** Returns the trace in a request's headers. Malformed headers are ignored, as the specification requires. */
export function readTrace(
  traceparent: string | undefined,
  tracestate: string | undefined,
): Trace | undefined {
  if (traceparent === undefined) return undefined
  const [, version, trace_id, parent_id, flags, more] = PARENT.exec(traceparent.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NONE.test(trace_id!) || NONE.test(parent_id!)) return undefined
  const state = readState(tracestate)
  return {
    traceparent: parentOf(trace_id!, parent_id!, flags!),
    ...(state !== undefined && { tracestate: state }),
  }
}

const parentOf = (trace_id: string, parent_id: string, flags: string) =>
  `00-${trace_id}-${parent_id}-${(Number.parseInt(flags, 16) & FLAGS).toString(16).padStart(2, '0')}`

/** The specification allows 32 members of up to 256 ASCII characters without commas and equals signs. */
const MEMBER =
  /^(?:[a-z\d][a-z\d_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const MOST_MEMBERS = 32
/** From a longer list, long members are dropped first, then the last ones. */
const LONGEST_STATE = 512
const LONG_MEMBER = 128

function readState(text = ''): string | undefined {
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))))
  const bad = members.length > MOST_MEMBERS || keys.size < members.length
  if (bad || !members.every((member) => MEMBER.test(member))) return undefined
  const kept =
    lengthOf(members) > LONGEST_STATE ? members.filter(({ length }) => length <= LONG_MEMBER) : members
  while (lengthOf(kept) > LONGEST_STATE) kept.pop()
  return kept.length > 0 ? kept.join(',') : undefined
}

const lengthOf = (members: readonly string[]) => members.join(',').length

export const traceIdOf = ({ traceparent }: Trace): string => traceparent.slice(3, 35)

/** Starts a trace. @param from - Determines its ids. */
export function beginTrace(from: string): Trace {
  const digits = digitsOf(from)
  return { traceparent: parentOf(digits.slice(0, 32), digits.slice(32, 48), '01') }
}

/** Returns the headers of a request caused by a trace. @param sent - Determines the span id; must differ for each request. */
export function headersOfTrace(trace: Trace, sent: string): { readonly [name: string]: string } {
  const { traceparent, tracestate } = trace
  const caused = parentOf(traceIdOf(trace), digitsOf(sent).slice(0, 16), traceparent.slice(53))
  return { traceparent: caused, ...(tracestate !== undefined && { tracestate }) }
}

const digitsOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** The user agent of the command line and the tools for agents, which distinguishes them from integrations. */
export const OWN_AGENT = 'payments-sandbox'
