import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import ipaddr from 'ipaddr.js'
import { headerOf } from './request-headers.ts'

/**
 * Whom requests are counted by: an IPv4 address, or the IPv6 network of 64 bits that one subscriber has. Undefined without
 * a connection: whoever calls within the process is nobody's stranger.
 */
export type ClientAddress = (c: Context) => string | undefined

/** @param trusted networks of the proxies whose `X-Forwarded-For` is believed */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  const networks = trusted.map(readNetwork)
  const isProxy = (address: Address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
  return (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
    const remote = incoming?.socket.remoteAddress
    if (remote === undefined) return undefined
    // Most requests come by IPv4 and without a proxy, and are known by their very text.
    if (networks.length === 0 && !remote.includes(':')) return remote
    let client = read(remote)
    if (!client) return remote
    // Each proxy adds whom it was called by at the end; what stands before a stranger's address is his own invention.
    const forwarded = headerOf(c, 'x-forwarded-for')?.split(',') ?? []
    while (isProxy(client)) {
      const before = read(forwarded.pop()?.trim() ?? '')
      if (!before) break
      client = before
    }
    return counted(client)
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An IPv4 address that was mapped into IPv6 is an IPv4 address. */
const read = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

function readNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const counted = (address: Address): string =>
  address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString()
