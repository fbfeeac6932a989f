import type { Config } from '../config/config.ts'
import { type IsProxy, proxiesAmong } from '../http/client-address.ts'
import { type IsOurs, oursBy } from '../http/host-guard.ts'
import { type Reached, reachedAt } from '../http/origin.ts'

/** By which names and through whom clients reach the sandbox. */
export interface Names {
  /** Whether a host name is one of the sandbox. */
  readonly isOurs: IsOurs
  /** Which addresses are those of proxies that are trusted; undefined where none is. */
  readonly isProxy: IsProxy | undefined
  /** How clients reach the sandbox, where that is not by the address of their request. */
  readonly reached: Reached['reached'] | undefined
}

export function namesOf({ host, allowedHosts, publicUrl, trustedProxies }: Config): Names {
  const named = [
    host,
    ...(allowedHosts === '*' ? [] : allowedHosts),
    ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]),
  ]
  const isProxy = trustedProxies === null ? undefined : proxiesAmong(trustedProxies)
  return { isOurs: oursBy(named), isProxy, reached: reachedAt({ publicUrl, isProxy }) }
}
