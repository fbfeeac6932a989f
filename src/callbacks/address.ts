/** Which addresses a hosted sandbox may call: those of the public internet and no others. */
import ipaddr from 'ipaddr.js'

/** The words of a refusal for the library's names of ranges. */
const WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  multicast: 'multicast',
  broadcast: 'broadcast',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
}

/** Services of clouds for the machine itself, where the address alone does not say more than its range. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  // Azure's, which lies in a public range.
  '168.63.129.16',
])

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * What speaks against an address, as a word for a message, or null when it is a public one.
 * IPv6 that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) is refused whole.
 * @param address as a resolver or `URL.hostname` without brackets gives it; a zone id is allowed
 */
export function forbiddenRange(address: string): string | null {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.parse(address)
  if (METADATA.has(parsed.toString())) return 'cloud metadata'
  const range = parsed.range()
  if (range !== 'unicast') return WORDS[range] ?? 'reserved'
  return parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_IPV6) ? 'reserved' : null
}
