import type { PreparedPayment, PreparePaymentRequest } from '../../src/generated/control/types.ts'
import { wordsOf } from '../core/api.ts'
import { curlBy } from '../core/curl.ts'
import { usePaused } from '../core/hooks.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block } from './bits.tsx'

/** For example `demo:demo`; only the username if the password is secret. */
export function curlUser(): string {
  const { username, client } = session.value!
  return settings.password !== undefined && client.password === settings.password
    ? `${username}:${client.password}`
    : username
}

interface CurlProps {
  readonly label: string
  readonly path: string
  readonly body: object
  readonly headers?: { readonly [name: string]: string }
}

export const Curl = ({ label, path, body, headers }: CurlProps) => (
  <Block label={label} text={curlBy(`${settings.origin}${path}`, curlUser(), body, headers)} />
)

export const prepare = (body: PreparePaymentRequest): Promise<PreparedPayment> =>
  session.peek()!.client.call('preparePayment', { body })

/**
 * The request of a payment as a curl command.
 * @param of - undefined while it is invalid
 * @param pause - milliseconds without a change before it is prepared
 */
export function PaymentCurl({
  label,
  of,
  pause = 0,
}: {
  label: string
  of: PreparePaymentRequest | undefined
  pause?: number
}) {
  const shown = usePaused(of && (() => prepare(of).catch(wordsOf)), pause, [JSON.stringify(of)])
  if (!of) return <p class="soft">Complete the fields to see the request.</p>
  if (typeof shown !== 'object') return <p class="soft">{shown}</p>
  return <Curl label={label} {...shown} />
}
