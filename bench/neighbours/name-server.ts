import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../processes.ts'

/** Address of the name server in `withNameServer`. */
export const NAME_SERVER = '127.0.0.2'

/** Runs the server with our own name server, by a mount namespace with another resolv.conf. Needs Linux and root. */
export function withNameServer({ program = process.execPath, args, env }: Command): Command {
  const file = join(mkdtempSync(join(tmpdir(), 'bench-names-')), 'resolv.conf')
  writeFileSync(file, `nameserver ${NAME_SERVER}\noptions timeout:5 attempts:2\n`)
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
  return {
    program: 'unshare',
    args: ['--mount', 'sh', '-c', script, file, program, ...args],
    ...(env && { env }),
  }
}
