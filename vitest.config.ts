import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What hangs, not what is slow: a machine may do much else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share a process, and so what they import: to load it anew for each took longer than the tests.
    isolate: false,
    setupFiles: ['test/support/clean-up.ts'],
    // More than there are processors: some wait for processes and receivers. By itself it leaves one of two idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
})
