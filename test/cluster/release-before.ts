import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Group } from './group.ts'
import { root, startReceiver, startSandbox, until } from './processes.ts'

/** Seconds of payments. */
const SECONDS = Number(process.env['RELEASE_BEFORE_SECONDS'] ?? 10)
/** Where no release is tagged: the first that keeps a sandbox in PostgreSQL. */
const FIRST = 'src/storage/engine/postgres/engine.ts'

/** Processes of the release before, and of the first commit that has a database where there is none, beside those of today. */
export async function releaseBefore(database: string): Promise<string> {
  const commit = commitBefore()
  if (commit === undefined) return 'skipped: there is no history here, so none before this one'
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-before-'))
  const receiver = await startReceiver()
  let group: Group | undefined
  try {
    takeOut(commit, folder)
    const before = await startSandbox(database, {}, folder)
    group = await Group.start(database, receiver.url, 2)
    group.members.push(before)
    const end = performance.now() + SECONDS * 1_000
    await group.payUntil(() => performance.now() > end)
    const there = await group.requireWhole()
    await until('all are called back', 60, () => receiver.received.size === there)
    receiver.requireOnce()
    return `${commit} beside two of today for ${SECONDS} s: ${there} payments, each settled and called back, ${group.unsure.size} without an answer`
  } finally {
    await group?.end()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function commitBefore(): string | undefined {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const released = git('tag', '--list', 'v*', '--sort=-creatordate', '--merged').split('\n')[0]
    return (
      released || git('log', '--diff-filter=A', '--format=%h', '--', FIRST).split('\n').at(-1) || undefined
    )
  } catch {
    return undefined
  }
}

/** Bundles the program of a commit in a folder, with the packages of today. */
function takeOut(commit: string, folder: string): void {
  const archive = execFileSync(
    'git',
    [
      'archive',
      commit,
      'package.json',
      'bin',
      'build',
      'src',
      'scenarios',
      'dashboard',
      'viewer',
      'tsconfig.json',
    ],
    {
      cwd: root,
      maxBuffer: 1 << 28,
    },
  )
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'dist'), { recursive: true })
  const program = "import('./build/bundle.ts').then(({ bundle }) => bundle())"
  execFileSync(process.execPath, ['--import', 'tsx', '--eval', program], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
