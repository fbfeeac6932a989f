import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Frame, type Page } from 'playwright-core'

export interface Look {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
  /** Whether it is a phone, which knows no pointer but a finger. */
  readonly touch?: true
}

/** Milliseconds after which a page hangs, on a machine that does much else too. */
const PATIENCE = 180_000

export const desktop: Look = { width: 1280, height: 860, colorScheme: 'light' }
export const wide: Look = { width: 1440, height: 900, colorScheme: 'light' }
/** The smallest phone there is, and a page at four times its size. */
export const narrow: Look = { width: 320, height: 640, colorScheme: 'light' }
export const phone: Look = { width: 390, height: 844, colorScheme: 'light' }
export const touched: Look = { ...phone, touch: true }
export const dark = (look: Look): Look => ({ ...look, colorScheme: 'dark' })

export interface Visit {
  readonly page: Page
  /** What went wrong by the browser's account: violations of the policy, faults of scripts. */
  readonly complaints: readonly string[]
  /** Addresses asked for outside of `origins`. */
  readonly strangers: readonly string[]
}

const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`

/** The browser, and that it can reach only this machine. */
const ofThisMachine = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
}

/** Chromium without the frame of its windows, which takes a third of its processor time; it knows no settings of people. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** A browser for many visits, each in a context of its own. @param args more of its own arguments */
export const startBrowser = (args: readonly string[] = []) =>
  chromium.launch({
    ...ofThisMachine,
    ...(!process.env.CHROMIUM && existsSync(SHELL) && { executablePath: SHELL }),
    args: [...ofThisMachine.args, ...args],
  })

let kept: Promise<Browser> | undefined

/** The one of all visits, for to start it takes longer than most of them. It keeps nothing for frames of other sites. */
async function keptBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'viewer-profile-'))
  mkdirSync(join(profile, 'Default'))
  const blocked = { profile: { block_third_party_cookies: true, cookie_controls_mode: 1 } }
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(blocked))
  const context = await chromium.launchPersistentContext(profile, ofThisMachine)
  // Playwright ends it with this process.
  process.once('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }))
  return context.browser()!
}

/**
 * Opens a page that shares nothing with those opened before.
 * @param origins where requests may go
 * @param own in the place of the one that keeps nothing for frames of other sites
 */
export async function visit<T>(
  url: string,
  look: Look,
  origins: readonly string[],
  use: (visit: Visit) => Promise<T>,
  own?: Browser,
): Promise<T> {
  const browser = own ?? (await (kept ??= keptBrowser()))
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    colorScheme: look.colorScheme,
    ...(look.touch && { hasTouch: true, isMobile: true }),
  })
  try {
    return await use(await open(context, url, origins))
  } finally {
    await context.close()
  }
}

/** Opens a page in a context, and listens to what goes wrong. */
export async function open(context: BrowserContext, url: string, origins: readonly string[]): Promise<Visit> {
  await context.addInitScript({ content: reportViolations })
  await context.addInitScript({ content: axe.source })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
  const complaints: string[] = []
  const strangers: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('websocket', (socket) => strangers.push(socket.url()))
  page.on('request', (request) => {
    const asked = request.url()
    if (/^(data|blob|about):/.test(asked)) return
    if (!origins.includes(new URL(asked).origin)) strangers.push(asked)
  })
  await page.goto(url)
  return { page, complaints, strangers }
}

/** Waits until an expression holds, in a page whose policy lets it run no text as code, so that it cannot look by itself. */
export async function untilHolds(page: Page | Frame, expression: string): Promise<void> {
  const from = performance.now()
  // A page that is being left has nothing to look at.
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) {
    if (performance.now() - from > PATIENCE) throw new Error(`it never was so: ${expression}`)
    await pause(50)
  }
}

/** Rules that a page breaks, with the elements that do; what is below `exclude` is not looked at. @param rules all when left out */
export async function violations(
  page: Page | Frame,
  exclude: readonly string[] = [],
  rules?: readonly string[],
): Promise<string[]> {
  const result = (await page.evaluate(
    ([selectors, only]) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(
        { exclude: selectors.map((each) => [each]) } as never,
        { resultTypes: ['violations'], ...(only && { runOnly: [...only] }) },
      ),
    [exclude, rules] as const,
  )) as axe.AxeResults
  return result.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`,
  )
}
