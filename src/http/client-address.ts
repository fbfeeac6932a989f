import type { HttpBindings } from '@hono/node-server'
import ipaddr from 'ipaddr.js'
import { headerIn } from '../lib/text/header-in.ts'
import { type Address, isForwarded, type IsProxy, readAddress, readForwarded } from './forwarded.ts'

/**
 * Where a request came from, as far as that is known; undefined for a call within the process, which has no connection.
 */
export type ClientAddress = (c: Connected) => string | undefined

interface Connected {
  /** The connection, where there is one. */
  readonly env: unknown
}

type Incoming = Pick<HttpBindings['incoming'], 'socket' | 'rawHeaders'>

/**
 * Whom requests are counted by: an IPv4 address, or the IPv6 network of 64 bits that one subscriber has.
 * @param isProxy which addresses are those of proxies whose word is taken; undefined where there are none
 */
export function countedAddress(isProxy: IsProxy | undefined): ClientAddress {
  return (c) => {
    const incoming = incomingOf(c)
    const remote = incoming?.socket.remoteAddress
    // For speed: most requests come by IPv4 and without a proxy, whose address needs no parsing.
    if (remote === undefined || (!isProxy && !remote.includes(':'))) return remote
    const client = clientOf(incoming!, remote, isProxy)
    return client ? counted(client) : remote
  }
}

/** The whole address, for the log. */
export function clientAddress(isProxy: IsProxy | undefined): ClientAddress {
  return (c) => {
    const incoming = incomingOf(c)
    const remote = incoming?.socket.remoteAddress
    return remote === undefined ? undefined : (clientOf(incoming!, remote, isProxy)?.toString() ?? remote)
  }
}

/**
 * Returns the address of a peer that forwards requests and is no trusted proxy, or that pretends to: all clients of a proxy
 * that no setting names count as one address.
 */
export function unnamedProxy(isProxy: IsProxy | undefined): ClientAddress {
  return (c) => {
    const incoming = incomingOf(c)
    if (!incoming || !isForwarded((name) => headerIn(incoming.rawHeaders, name))) return undefined
    const remote = incoming.socket.remoteAddress ?? ''
    const peer = readAddress(remote)
    return peer && isProxy?.(peer) ? undefined : remote
  }
}

const incomingOf = ({ env }: Connected): Incoming | undefined =>
  ((env ?? {}) as { readonly incoming?: Incoming }).incoming

function clientOf(
  { rawHeaders }: Incoming,
  remote: string,
  isProxy: IsProxy | undefined,
): Address | undefined {
  const peer = readAddress(remote)
  if (!peer || !isProxy) return peer
  return readForwarded(peer, (name) => headerIn(rawHeaders, name), isProxy)?.client ?? peer
}

const counted = (address: Address): string =>
  address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString()
