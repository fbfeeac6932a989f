import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that measure real time, or that take minutes. */
const slow = [
  'test/callbacks/receivers.test.ts',
  'test/certify/hostile.test.ts',
  'test/certify/other-shops.test.ts',
  'test/certify/variants.test.ts',
  'test/contract/examples.test.ts',
  'test/contract/description.test.ts',
  'test/fidelity/drifts.test.ts',
  'test/fidelity/shops.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/hosted/held-loop.test.ts',
  'test/service/domain/references.test.ts',
  'test/traffic/mutants.test.ts',
]
/** A tenth of the other files, which take half of their time: processes, real receivers, generated worlds, mutants. */
const long = [
  'test/certify/matrix.test.ts',
  'test/certify/money.test.ts',
  'test/certify/precise.test.ts',
  'test/certify/record.test.ts',
  'test/certify/witnessed.test.ts',
  'test/cli/daily.test.ts',
  'test/cli/dev.test.ts',
  'test/cli/listen-live.test.ts',
  'test/cli/traffic.test.ts',
  'test/client/fifty-worlds.test.ts',
  'test/docs/commands.test.ts',
  'test/docs/snippets.test.ts',
  'test/end-to-end/detach.test.ts',
  'test/end-to-end/payments.test.ts',
  'test/end-to-end/pipes.test.ts',
  'test/end-to-end/restart.test.ts',
  'test/end-to-end/stop.test.ts',
  'test/fidelity/compare.test.ts',
  'test/fidelity/contract.test.ts',
  'test/fidelity/record.test.ts',
  'test/hosted/abuse.test.ts',
  'test/hosted/callback-targets.test.ts',
  'test/hosted/sign-up.test.ts',
  'test/hosted/sign-up-links.test.ts',
  'test/mcp/stdio.test.ts',
  'test/pages/collections.test.ts',
  'test/pages/embed-samples.test.ts',
  'test/receivers/within.test.ts',
  'test/service/domain/realism/field.test.ts',
  'test/storage/store/file.test.ts',
  'test/storage/store/text-index.test.ts',
  'test/traffic/traffic.test.ts',
  'test/worlds/populate.test.ts',
]

/** The files that take longest. They begin first, so that no run ends with one worker busy. */
const longest = [
  'test/certify/variants.test.ts',
  'test/certify/other-shops.test.ts',
  'test/certify/hostile.test.ts',
  'test/callbacks/receivers.test.ts',
  'test/fidelity/drifts.test.ts',
  'test/traffic/mutants.test.ts',
  'test/certify/matrix.test.ts',
  'test/certify/money.test.ts',
  'test/cli/daily.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((file) => moduleId.endsWith(file))
      return place < 0 ? longest.length : place
    }
    return others.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

// Most code of a test runs a few times: compiling it for speed, in each worker, takes a fifth of the processor's time.
// Newer versions of Node.js do not have this flag.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=4000000')

export default defineConfig({
  test: {
    // Long enough for a loaded machine: only a test that hangs reaches it.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share a thread and its modules: loading them for each file takes longer than the tests.
    pool: 'threads',
    isolate: false,
    experimental: { fsModuleCache: true },
    setupFiles: ['test/support/clean-up.ts'],
    sequence: { sequencer: LongestFirst },
    // `npm test` runs only the quick tests, `npm run test:slow` all others.
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          // The suites install packages in their folders.
          exclude: [...configDefaults.exclude, ...long, ...slow],
        },
      },
      { extends: true, test: { name: 'long', include: long } },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
    // More workers than processors, because some tests wait for processes and receivers. Vitest's default leaves one of two idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
})
