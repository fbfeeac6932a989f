import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'test',
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  reporter: 'list',
  use: {
    // Debian's; leave it out after `npx playwright install chromium`.
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
})
