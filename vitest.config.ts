import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Files that take most of the time: `npm test` leaves them out, `npm run test:slow` runs them, `npx vitest run` runs all. */
const slow = [
  'test/contract/examples.test.ts',
  'test/contract/description.test.ts',
  'test/service/domain/references.test.ts',
]
const MATRIX = 'test/certify/matrix.test.ts'

export default defineConfig({
  test: {
    // What hangs, not what is slow: a machine may do much else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share a process, and so what they import: to load it anew for each took longer than the tests.
    isolate: false,
    setupFiles: ['test/support/clean-up.ts'],
    // More than there are processors: some wait for processes and receivers. By itself it leaves one of two idle.
    projects: [
      // Of the shops of the matrix one of each group.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          // Suites install packages in their folders.
          exclude: [...configDefaults.exclude, ...slow],
          env: { MATRIX: 'sample' },
        },
      },
      { extends: true, test: { name: 'slow', include: [...slow, MATRIX] } },
    ],
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
})
