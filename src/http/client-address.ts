/** Client addresses, and the headers in which proxies forward them: `X-Forwarded-*` and `Forwarded` (RFC 7239). */
import type { HttpBindings } from '@hono/node-server'
import ipaddr from 'ipaddr.js'
import { headerIn } from '../lib/text/headers.ts'

/** Returns the client's address; undefined for a call within the process. */
export type ClientAddress = (c: Connected) => string | undefined

interface Connected {
  readonly env: unknown
}

type Incoming = Pick<HttpBindings['incoming'], 'socket' | 'rawHeaders'>

/**
 * Returns the address that limits count: an IPv4 address, or the 64-bit IPv6 network of one subscriber.
 * @param isProxy - tells which addresses are trusted proxies
 */
export function countedAddress(isProxy: IsProxy | undefined): ClientAddress {
  return (c) => {
    const incoming = incomingOf(c)
    const remote = incoming?.socket.remoteAddress
    // For speed: most requests use IPv4 without a proxy, whose address needs no parsing.
    if (remote === undefined || (!isProxy && !remote.includes(':'))) return remote
    const client = clientOf(incoming!, remote, isProxy)
    return client ? counted(client) : remote
  }
}

/** Returns the full address, for the log. */
export function clientAddress(isProxy: IsProxy | undefined): ClientAddress {
  return (c) => {
    const incoming = incomingOf(c)
    const remote = incoming?.socket.remoteAddress
    return remote === undefined ? undefined : (clientOf(incoming!, remote, isProxy)?.toString() ?? remote)
  }
}

/**
 * Returns the address of a peer that forwards requests but is not a trusted proxy. All clients behind such a proxy
 * count as one address.
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

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The trusted part of the forwarding headers; fields that are missing or contradictory are undefined. */
export interface Forwarded {
  /** The peer of the outermost trusted proxy. */
  readonly client: Address | undefined
  readonly proto: string | undefined
  /** Includes the port, if any. */
  readonly host: string | undefined
  readonly port: string | undefined
  /** Without a trailing slash. */
  readonly prefix: string | undefined
}

export type IsProxy = (address: Address) => boolean

/** Names for private networks. */
const NAMED: { readonly [word: string]: readonly string[] } = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
}

/** @param trusted - addresses, networks and their names */
export function proxiesAmong(trusted: readonly string[]): IsProxy {
  const networks = trusted.flatMap((each) => NAMED[each] ?? [each]).map(readNetwork)
  return (address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function readNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Returns an IPv4 address for one mapped into IPv6, and drops the port. */
export function readAddress(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

/** Whether a request claims to be forwarded. Any client can claim that. */
export const isForwarded = (header: HeaderOf): boolean =>
  header('x-forwarded-for') !== undefined || header('forwarded') !== undefined

/** Joins several headers of one name to one list. */
type HeaderOf = (name: string) => string | undefined

/**
 * Returns what trusted proxies report about a request from `peer`, or undefined if the peer is not a trusted proxy.
 * Each proxy appends its peer to a list: entries before that of the first untrusted proxy may be forged.
 */
export function readForwarded(peer: Address, header: HeaderOf, isProxy: IsProxy): Forwarded | undefined {
  if (!isProxy(peer)) return undefined
  const x = fromLists(peer, header, isProxy)
  const one = fromElements(peer, header('forwarded'), isProxy)
  const clients = [x.client?.toString(), one.client?.toString()]
  return {
    client: agreed(clients[0], clients[1]) === undefined ? undefined : (x.client ?? one.client),
    proto: agreed(x.proto, one.proto),
    host: agreed(x.host, one.host),
    port: one.host === undefined ? x.port : undefined,
    prefix: x.prefix,
  }
}

/**
 * A proxy that writes one kind of header may pass on the other as its client sent it: if they differ, one is forged.
 */
const agreed = (a: string | undefined, b: string | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : a === b ? a : undefined

function fromLists(peer: Address, header: HeaderOf, isProxy: IsProxy): Forwarded {
  const list = (name: string) =>
    header(name)
      ?.split(',')
      .map((each) => each.trim()) ?? []
  const { client, depth } = outermost(peer, list('x-forwarded-for'), isProxy)
  const said = (name: string, form: RegExp) => matching(form, at(list(name), depth))
  return {
    client,
    proto: said('x-forwarded-proto', PROTO)?.toLowerCase(),
    host: said('x-forwarded-host', HOST)?.toLowerCase(),
    port: said('x-forwarded-port', PORT),
    prefix: said('x-forwarded-prefix', PREFIX)?.replace(/\/$/, ''),
  }
}

function fromElements(peer: Address, text: string | undefined, isProxy: IsProxy): Forwarded {
  const elements = text === undefined ? [] : splitOutside(text, ',').map(parametersOf)
  const { client, depth } = outermost(
    peer,
    elements.map((each) => each.get('for') ?? ''),
    isProxy,
  )
  const element = at(elements, depth)
  return {
    client,
    proto: matching(PROTO, element?.get('proto'))?.toLowerCase(),
    host: matching(HOST, element?.get('host'))?.toLowerCase(),
    port: undefined,
    prefix: undefined,
  }
}

/** Returns the peer of the outermost trusted proxy and the index of that proxy's entry, from the end. */
function outermost(peer: Address, callers: readonly string[], isProxy: IsProxy) {
  let client: Address | undefined
  let depth = 1
  for (let n = callers.length - 1; n >= 0 && (client === undefined || isProxy(client)); n--) {
    const before = readAddress(callers[n]!)
    if (!before) break
    client = before
    depth = callers.length - n
  }
  return { client: client ?? (callers.length > 0 ? peer : undefined), depth }
}

/** Returns one proxy's entry; of a shorter list the first, which the outermost proxy wrote. */
const at = <Entry>(list: readonly Entry[], depth: number): Entry | undefined =>
  list[Math.max(0, list.length - depth)]

const matching = (form: RegExp, text: string | undefined) =>
  text !== undefined && form.test(text) ? text : undefined

const PROTO = /^https?$/i
const HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const PORT = /^\d{1,5}$/
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/

/** Returns the parameters of an element of `Forwarded`, with lower-case names. */
function parametersOf(element: string): ReadonlyMap<string, string> {
  const pairs = splitOutside(element, ';').flatMap((pair): [string, string][] => {
    const [, name, quoted, plain] = /^\s*([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))\s*$/.exec(pair) ?? []
    return name === undefined ? [] : [[name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '']]
  })
  return new Map(pairs)
}

/** Splits a text at marks outside of quotes. */
function splitOutside(text: string, mark: string): string[] {
  const parts = ['']
  let quoted = false
  for (let n = 0; n < text.length; n++) {
    const character = text[n]!
    if (character === '"') quoted = !quoted
    if (quoted && character === '\\') parts[parts.length - 1] += text[n++]!
    if (character === mark && !quoted) parts.push('')
    else parts[parts.length - 1] += text[n] ?? ''
  }
  return parts
}
