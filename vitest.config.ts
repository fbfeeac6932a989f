import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // All processors: by itself it leaves one of two idle.
    maxWorkers: '100%',
  },
})
