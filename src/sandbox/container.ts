import { existsSync, readFileSync } from 'node:fs'
import type { Config } from '../config/config.ts'

/** What Docker, Podman and Kubernetes leave in each container. */
const MARKS = ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io/serviceaccount']
const GROUP = /docker|kubepods|containerd|libpod|lxc/

/**
 * Whether the process runs in a container, where loopback is not the loopback of whoever made a payment.
 * @param root where the system's files are
 */
export function isInContainer({ inContainer }: Pick<Config, 'inContainer'>, root = ''): boolean {
  if (inContainer !== null) return inContainer === 'on'
  return MARKS.some((path) => existsSync(root + path)) || GROUP.test(groupsIn(`${root}/proc/self/cgroup`))
}

function groupsIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
