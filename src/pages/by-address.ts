/** Names of hosts that a proxy may pass on for one sandbox; beyond them all are made anew. */
const ADDRESSES = 16

/** Keeps what differs by the address that clients reach the sandbox at. */
export function byAddress<T>(make: (address: string) => T): (address: string) => T {
  const kept = new Map<string, T>()
  return (address) => {
    const known = kept.get(address)
    if (known !== undefined) return known
    if (kept.size >= ADDRESSES) kept.clear()
    const made = make(address)
    kept.set(address, made)
    return made
  }
}
