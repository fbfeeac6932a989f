import type { Resolver } from 'node:dns/promises'
import { later } from '../lib/clock/clock.ts'
import type { ResolvedAddress } from './target.ts'

/** An address and for how many seconds its server says that it holds. */
export interface DnsAddress extends ResolvedAddress {
  readonly ttl: number
}

/** Milliseconds that one family has once the other is there: some servers are silent about those they do not know. */
const OTHER_FAMILY = 250

/**
 * Asks name servers for the addresses of a name, IPv4 first. Never rejects.
 * @returns what was found, or an error with the `code` ENOTFOUND, EAI_AGAIN or DNS_TIMEOUT
 */
export function askServers(
  resolver: Resolver,
  name: string,
): Promise<readonly DnsAddress[] | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const found: DnsAddress[] = []
    const codes: string[] = []
    let open = 2
    let stop = () => {}
    const end = () => {
      stop()
      resolve(found.length > 0 ? found.toSorted((a, b) => a.family - b.family) : nameError(name, codes))
    }
    const ask = (family: 4 | 6) =>
      (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }))
        .then(
          (records) => void found.push(...records.map(({ address, ttl }) => ({ address, family, ttl }))),
          ({ code = '' }: NodeJS.ErrnoException) => void codes.push(code),
        )
        .then(() => {
          if (--open === 0) end()
          else if (found.length > 0) stop = later(OTHER_FAMILY, end)
        })
    void ask(4)
    void ask(6)
  })
}

/** @param codes what the resolver said, by question; none when the name cannot have an address */
export function nameError(name: string, codes: readonly string[] = []): NodeJS.ErrnoException {
  const code = codes.includes('ETIMEOUT')
    ? 'DNS_TIMEOUT'
    : codes.every((each) => each === 'ENOTFOUND' || each === 'ENODATA')
      ? 'ENOTFOUND'
      : 'EAI_AGAIN'
  return Object.assign(new Error(`the name ${name} has no address: ${codes.join(', ') || code}`), { code })
}
