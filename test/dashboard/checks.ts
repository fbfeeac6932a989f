/** What every check is made of. */
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { visit, type Look, type Visit } from '../viewer/browser.ts'

export const shots = 'test-output/dashboard'
mkdirSync(shots, { recursive: true })

/** Milliseconds after which a page hangs, on a machine that does much else too. */
const PATIENCE = 30_000

/** Those whose name has this, all when it is left out. */
const only = process.argv[2] ?? ''
let passed = 0
let failed = 0

/** Opens an address and looks; nothing may go wrong by the browser's account, nor be asked of anybody else. */
export async function check(what: string, url: string, look: Look, use: (visit: Visit) => Promise<void>) {
  if (!what.includes(only)) return
  try {
    await visit(url, look, [new URL(url).origin], async (opened) => {
      opened.page.setDefaultTimeout(PATIENCE)
      await use(opened)
      expectNone('complaints of the browser', opened.complaints)
      expectNone('requests elsewhere', opened.strangers)
    })
    passed += 1
    console.log(`ok    ${what}`)
  } catch (error) {
    failed += 1
    console.log(`FAIL  ${what}\n      ${String(error).replaceAll('\n', '\n      ')}`)
  }
}

/** Says how it went. @returns the exit code */
export function result(): number {
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

export function expectNone(what: string, found: readonly string[]) {
  if (found.length > 0) throw new Error(`${what}:\n${found.join('\n')}`)
}

export function expect(what: string, holds: boolean) {
  if (!holds) throw new Error(`not so: ${what}`)
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
  expectNone('wider than the page', await page.evaluate<string[]>(tooWide))
}

/** Waits until an expression holds in the page, whose policy lets no text be run as code by the page itself. */
export async function until(page: Page, expression: string) {
  for (let tries = 0; tries < 300; tries++) {
    if (await page.evaluate<boolean>(expression)) return
    await page.waitForTimeout(100)
  }
  throw new Error(`it never was so: ${expression}`)
}
