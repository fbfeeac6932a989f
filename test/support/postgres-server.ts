import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './suite.ts'

/** Who PostgreSQL runs as where that may not be the one who asks: it does not run as root. */
const owner =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []

function asOwner(...words: readonly string[]): void {
  const [program, ...rest] = [...owner, ...words]
  execFileSync(program!, rest, { stdio: 'ignore' })
}

/** A PostgreSQL of a check's own, by the programs that are on the path. */
export class PostgresServer {
  readonly url: string
  readonly #port: number
  readonly #folder: string

  private constructor(port: number, folder: string) {
    this.#port = port
    this.#folder = folder
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  /** @param settings lines of its configuration */
  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), newFolder())
    asOwner(
      'initdb',
      '-D',
      server.#data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
    )
    server.#listen(settings)
    server.start()
    return server
  }

  /** A standby of this one, which has all that this one says that it has. */
  async startStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer(await freePort(), newFolder())
    asOwner('pg_basebackup', '-d', this.url, '-D', standby.#data, '-R', '-X', 'stream', '-c', 'fast')
    standby.#listen()
    standby.start()
    return standby
  }

  #listen(settings: readonly string[] = []): void {
    const lines = [
      `port = ${this.#port}`,
      `unix_socket_directories = '${this.#folder}'`,
      "listen_addresses = '127.0.0.1'",
      'max_connections = 200',
      // Its end does not end the machine.
      'fsync = off',
      ...settings,
    ]
    appendFileSync(join(this.#data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  start(): void {
    asOwner('pg_ctl', '-D', this.#data, '-l', join(this.#folder, 'log'), '-w', 'start')
  }

  /** Ends it as a crash would. */
  kill(): void {
    asOwner('pg_ctl', '-D', this.#data, '-m', 'immediate', '-w', 'stop')
  }

  promote(): void {
    asOwner('pg_ctl', '-D', this.#data, '-w', 'promote')
  }

  /** Ends it, and leaves nothing. */
  remove(): void {
    try {
      this.kill()
    } catch {
      // It had ended.
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-postgres-'))
  if (owner.length > 0) execFileSync('chown', ['postgres', folder])
  return folder
}
