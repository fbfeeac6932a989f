import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../processes.ts'

/** Where the server looks names up that runs `withNameServer`. */
export const NAME_SERVER = '127.0.0.2'

/** The same server with a name server of ours: in a name space of mounts with another resolv.conf, which takes Linux and root. */
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
