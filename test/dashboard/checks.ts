/**
 * What every check is made of, and the shape of the files that hold them.
 *
 * A file is a `Subject`, named in the list of `check.ts`: what the world that all pages are looked at in needs (`fill`), the rows that its
 * pages are looked at by (`looks`; a page of `dashboard/pages.ts` without one fails), and stories in worlds of their own (`stories`, of
 * `check(...)` each).
 *
 * A check waits for what it reads, and never for a time: Playwright's own waiting, `until` for an expression, and `settled` for a page
 * that has read all that it reads. That is so when its root says `data-reading="0"`, which counts each `transport.ask` and each read that is
 * about to be asked, and when nothing on it is `aria-busy`, as `Loading` is, and the page while an action
 * runs.
 */
import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { open, startBrowser, type Look, type Visit } from '../viewer/browser.ts'
import type { Player, Sandbox } from './server.ts'

/** One row: a page, or a thing on it, that is looked at at every width, light and dark. */
export interface PageLook {
  /** What stands behind the world in the address, such as `tx/order-1`. */
  readonly path: string
  /** A heading of it that shows it is there. */
  readonly heading: string | RegExp
  /** Waits for more of it, or opens what is shut. */
  readonly ready?: (page: Page) => Promise<void>
}

export interface Subject {
  readonly looks?: readonly PageLook[]
  /** Puts into the world that is looked at what the looks show. The subjects do so in the order of `check.ts`, each after `Player.fill`. */
  readonly fill?: (player: Player) => Promise<void>
  readonly stories?: (sandbox: Sandbox) => Promise<void>
}

export const shots = 'test-output/dashboard'
mkdirSync(shots, { recursive: true })

/** Milliseconds after which a page hangs, on a machine that does much else too. */
const PATIENCE = 120_000

/** The checks to run: those whose name contains the argument, and then those that failed. */
let isMeant = (what: string) => what.includes(process.argv[2] ?? '')
let passed = 0
const failed = new Set<string>()

let browser: Promise<Browser> | undefined

/** The one browser of the suite, with contexts that know nothing of one another. */
const theBrowser = () => (browser ??= startBrowser(['--enable-precise-memory-info']))

/** Opens an address and looks; nothing may go wrong by the browser's account, nor be asked of anybody else. */
export async function check(
  what: string,
  url: string,
  look: Look,
  use: (visit: Visit) => Promise<void>,
  {
    prepare,
    context: more,
  }: {
    /** Before the page opens. */
    readonly prepare?: (context: BrowserContext) => Promise<unknown>
    readonly context?: BrowserContextOptions
  } = {},
) {
  await judge(what, async () => {
    const context = await (
      await theBrowser()
    ).newContext({
      viewport: { width: look.width, height: look.height },
      colorScheme: look.colorScheme,
      // A colour on its way to another is neither.
      reducedMotion: 'reduce',
      ...more,
    })
    try {
      context.setDefaultTimeout(PATIENCE)
      await prepare?.(context)
      const opened = await open(context, url, [new URL(url).origin])
      opened.page.setDefaultTimeout(PATIENCE)
      await use(opened)
      expectNone('complaints of the browser', opened.complaints)
      expectNone('requests elsewhere', opened.strangers)
    } finally {
      await context.close()
    }
  })
}

/** Checks at the same time: as many as processors, since one waits for its page most of the time. */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/** Runs a check, if it is meant, and reports the result. */
export async function judge(what: string, work: () => Promise<void>) {
  if (!isMeant(what)) return
  if (running === AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  const begun = performance.now()
  const took = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`
  try {
    await work()
    passed += 1
    console.log(`ok    ${what} (${took()})`)
  } catch (error) {
    failed.add(what)
    console.log(`FAIL  ${what} (${took()})\n      ${String(error).replaceAll('\n', '\n      ')}`)
  }
  const next = waiting.shift()
  if (next) next()
  else running -= 1
}

/** Makes the next run one of the checks that failed alone, whose result counts. @returns whether any failed */
export function repeatFailed(): boolean {
  const names = new Set(failed)
  failed.clear()
  isMeant = (what) => names.has(what)
  if (names.size > 0) console.log(`\nAgain, alone: ${[...names].join(', ')}`)
  return names.size > 0
}

/** Prints the counts. @returns the exit code */
export async function result(): Promise<number> {
  await (await browser)?.close()
  console.log(`\n${passed} passed, ${failed.size} failed, ${Math.round(performance.now() / 1_000)} s`)
  return failed.size === 0 && passed > 0 ? 0 : 1
}

/** The address of a page of a world. */
export const at = (origin: string, world: string, path: string) => `${origin}/dashboard#/${world}/${path}`

/** Goes to another page of the world, by its address as a link would. */
export const goTo = (page: Page, world: string, path: string) =>
  page.evaluate(
    (hash) => ((globalThis as { location?: { hash: string } }).location!.hash = hash),
    `#/${world}/${path}`,
  )

export function expectNone(what: string, found: readonly string[]) {
  if (found.length > 0) throw new Error(`${what}:\n${found.join('\n')}`)
}

export function expect(what: string, holds: boolean) {
  if (!holds) throw new Error(`not so: ${what}`)
}

/** Leaves out what the browser says of a failure that was brought about on purpose. */
export function forgive(complaints: readonly string[], meant: RegExp) {
  const list = complaints as string[]
  list.splice(0, list.length, ...list.filter((each) => !meant.test(each)))
}

/** In the page: what reaches beyond its right edge, in the document and in the part of it that scrolls. */
const tooWide = `(() => {
  const main = document.querySelector('main')
  return document.documentElement.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth ? [] :
    [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
      .map((each) => each.tagName + '.' + each.className)
})()`

/** Opens every section and scrolls to the end; then nothing may be wider than the page. */
export async function fitsTheWidth(page: Page) {
  await page.evaluate(
    `document.querySelectorAll('main details').forEach((each) => (each.open = true)); document.querySelector('main').scrollTo(0, 1e6)`,
  )
  await settled(page)
  expectNone('wider than the page', await page.evaluate<string[]>(tooWide))
}

/** In the page: whether it was at rest for three pictures. */
const atRest = `(async () => {
  const quiet = () => document.querySelector('#app')?.dataset.reading === '0' && !document.querySelector('[aria-busy="true"]')
  for (let n = 0; n < 3; n++) {
    if (!quiet()) return false
    await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))
  }
  return quiet()
})()`

/** Waits until the page has read all that it reads, and shows it. */
export const settled = (page: Page) => until(page, atRest, 20)

/** Waits until an expression holds in the page, whose policy lets no text be run as code by the page itself. */
export async function until(page: Page, expression: string, pause = 50) {
  const end = performance.now() + PATIENCE
  for (;;) {
    if (await page.evaluate<boolean>(expression)) return
    if (performance.now() > end) throw new Error(`it never was so: ${expression}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
