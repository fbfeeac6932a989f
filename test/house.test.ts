import { readFileSync, readdirSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { collection } from './support/requests.ts'
import { startSandbox } from './support/sandbox.ts'
import { tracked } from './support/tracked.ts'

/**
 * Ceilings. Lower one when the code shrinks below it; raise one only in a commit of its own that names the feature.
 */
const ceilings = {
  'entries at the top of src': 20,
  'files at the top of src': 1,
  'files in src with a single importer': 143,
  'files of src that a warm payment request runs': 50,
  'files of src that a settlement and its callback run': 50,
  'lines of the dashboard': 18_460,
  'generated lines': 59_600,
}
type Measure = keyof typeof ceilings

/** Ceilings of each folder of src, with `.` for the files at the top. */
const folders: Record<string, { files: number; lines: number }> = {
  '.': { files: 1, lines: 265 },
  callbacks: { files: 30, lines: 4_324 },
  certify: { files: 44, lines: 7_648 },
  cli: { files: 50, lines: 6_562 },
  client: { files: 27, lines: 3_223 },
  config: { files: 9, lines: 1_229 },
  control: { files: 29, lines: 6_336 },
  fidelity: { files: 18, lines: 3_681 },
  http: { files: 22, lines: 3_917 },
  lib: { files: 27, lines: 2_287 },
  mcp: { files: 10, lines: 1_269 },
  pages: { files: 40, lines: 5_646 },
  sandbox: { files: 13, lines: 2_188 },
  scenarios: { files: 22, lines: 3_775 },
  scheduler: { files: 7, lines: 1_592 },
  service: { files: 53, lines: 8_399 },
  storage: { files: 54, lines: 11_563 },
  traffic: { files: 8, lines: 1_696 },
  worlds: { files: 27, lines: 5_185 },
}

/** Files that timers of other tests in the same thread may add to those of a payment. */
const BACKGROUND = 3

const isCode = (path: string) => /\.tsx?$/.test(path)
const linesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0)

const source = tracked('src').filter((path) => isCode(path) && !path.startsWith('src/generated/'))

const expectAtMost = (measure: Measure, value: number) =>
  expect(value, `${measure}: ${value}`).toBeLessThanOrEqual(ceilings[measure])

describe('the size of the code', () => {
  it('stays below the ceilings of src', () => {
    expectAtMost('entries at the top of src', readdirSync('src').length)
    expectAtMost('files at the top of src', source.filter((path) => posix.dirname(path) === 'src').length)
  })

  it('stays below the ceiling of each folder of src', () => {
    const folderOf = (path: string) => (path.split('/').length > 2 ? path.split('/')[1]! : '.')
    expect(new Set(source.map(folderOf))).toEqual(new Set(Object.keys(folders)))
    for (const [folder, ceiling] of Object.entries(folders)) {
      const paths = source.filter((path) => folderOf(path) === folder)
      expect(paths.length, `files in src/${folder}`).toBeLessThanOrEqual(ceiling.files)
      expect(linesOf(paths), `lines in src/${folder}`).toBeLessThanOrEqual(ceiling.lines)
    }
  })

  it('stays below the ceilings of the dashboard and of generated files', () => {
    expectAtMost(
      'lines of the dashboard',
      linesOf(tracked('dashboard').filter((path) => /\.(tsx?|css)$/.test(path))),
    )
    expectAtMost('generated lines', linesOf(tracked('src/generated', 'collections')))
  })

  it('has few files with a single importer', () => {
    const importers = new Map<string, Set<string>>()
    for (const path of [...source, ...tracked('src/generated').filter(isCode)])
      for (const [, specifier] of readFileSync(path, 'utf8').matchAll(
        /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g,
      )) {
        const target = posix.join(posix.dirname(path), specifier!)
        importers.set(target, (importers.get(target) ?? new Set()).add(path))
      }
    expectAtMost(
      'files in src with a single importer',
      source.filter((path) => importers.get(path)?.size === 1).length,
    )
  })
})

/** Returns the files of src in which every one of three runs of `work` ran a function. */
async function filesRunBy(session: Session, work: () => Promise<unknown>): Promise<readonly string[]> {
  const runs: (readonly string[])[] = []
  for (let n = 0; n < 3; n++) runs.push(await filesRunOnce(session, work))
  // Timers of other tests in the same thread may run a file once, but not three times.
  return runs[0]!.filter((path) => runs.every((run) => run.includes(path)))
}

async function filesRunOnce(session: Session, work: () => Promise<unknown>): Promise<readonly string[]> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .map(({ url }) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url))
    .filter((path) => isCode(path) && !path.startsWith('..') && !path.startsWith('generated/'))
    .toSorted()
}

describe('the way of a payment', () => {
  it('runs few files', async () => {
    const world = (await startSandbox()).world()
    const pay = () => world.post('/api/v2/payments', collection({ callback_url: world.callback_url }))
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    for (let n = 0; n < 3; n++) {
      expect((await pay()).status).toBe(201)
      await world.settle()
    }
    const request = await filesRunBy(session, pay)
    const settlement = await filesRunBy(session, async () => {
      await pay()
      await session.post('Profiler.takePreciseCoverage')
      await world.settle()
    })
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
    expect(request).toContain('http/serve.ts')
    expect(settlement).toContain('callbacks/deliver.ts')
    expectAtMost('files of src that a warm payment request runs', request.length - BACKGROUND)
    expectAtMost('files of src that a settlement and its callback run', settlement.length - BACKGROUND)
  })
})
