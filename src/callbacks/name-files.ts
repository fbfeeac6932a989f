/** The files of this machine that say how names become addresses, which a resolver of one's own must read itself. */
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Addresses by name, as in `/etc/hosts`. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** How names without all their parts are completed, as in `/etc/resolv.conf`. */
export interface Search {
  readonly domains: readonly string[]
  /** A name with fewer dots is completed before it is asked for as it is. */
  readonly dots: number
}

const windows = process.platform === 'win32'
export const HOSTS_FILE = windows ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
export const RESOLV_FILE = '/etc/resolv.conf'

/** What is read of a file, read anew once it has changed; a file that is missing is empty. */
export function readOnChange<T>(path: string, read: (text: string) => T): () => T {
  let seen: string | undefined
  let value: T
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    const now = stat ? `${stat.mtimeMs} ${stat.ino} ${stat.size}` : ''
    if (now === seen) return value
    value = read(stat ? textOf(path) : '')
    seen = now
    return value
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function readHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = wordsOf(line)
    if (address === undefined || isIP(address) === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      const known = hosts.get(name)
      if (!known) hosts.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}

export function readSearch(text: string): Search {
  let domains: string[] = []
  let dots = 1
  for (const [key, ...values] of text.split('\n').map(wordsOf)) {
    // The last line of the two wins (resolv.conf(5)).
    if (key === 'search' || key === 'domain') domains = values.map((each) => each.replace(/\.$/, ''))
    const ndots = key === 'options' && values.findLast((each) => /^ndots:\d+$/.test(each))
    if (ndots) dots = Math.min(Number(ndots.slice('ndots:'.length)), 15)
  }
  return { domains: domains.filter((each) => each !== ''), dots }
}

/** The names that one may stand for, in the order in which they are asked for. */
export function completions(name: string, { domains, dots }: Search): readonly string[] {
  if (name.endsWith('.')) return [name]
  const completed = domains.map((domain) => `${name}.${domain}`)
  return name.split('.').length - 1 < dots ? [...completed, name] : [name, ...completed]
}

const wordsOf = (line: string) =>
  line
    .replace(/[#;].*/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
