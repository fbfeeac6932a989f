/**
 * The main path and the payment pages in two engines: Chromium, and Firefox by WebDriver BiDi. Playwright, which the other
 * checks use, drives only a Firefox of its own.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, launch, type Page } from 'puppeteer-core'
import { worldOf } from '../checkout/shop.ts'
import { at, expect, expectNone, judge, shots, type Subject } from './checks.ts'
import type { Sandbox } from './server.ts'

mkdirSync(shots, { recursive: true })

const PATIENCE = 60_000

const shell = '/usr/bin/chromium-headless-shell'

const engines = {
  Chromium: () =>
    launch({
      executablePath: process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
      args: ['--no-sandbox'],
    }),
  Firefox: () =>
    launch({
      browser: 'firefox',
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox',
      extraPrefsFirefox: { 'intl.accept_languages': 'en' },
    }),
}

export const bothEngines: Subject = {
  async stories(sandbox) {
    const plain = await withoutScripts(sandbox.origin)
    for (const [engine, start] of Object.entries(engines)) {
      await judge(`the main path and a payment page, in ${engine}`, () =>
        watched(engine, start, async (page) => {
          await mainPath(page, sandbox)
          await payByCard(page, sandbox.origin, true)
        }),
      )
      await judge(`a payment page without scripts, in ${engine}`, () =>
        watched(engine, start, (page) => payByCard(page, plain.origin, false)),
      )
    }
    await plain.close()
  },
}

/** A way to the sandbox on which pages run no script of theirs. Firefox has no command for that. */
async function withoutScripts(origin: string) {
  const { port } = new URL(origin)
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
      const { 'content-security-policy': policy, ...rest } = response.headers
      const policies = [policy, "script-src 'none'"].filter(Boolean).join(', ')
      answer.writeHead(response.statusCode!, { ...rest, 'content-security-policy': policies })
      response.pipe(answer)
    })
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  }
}

/** Works in a browser of its own, which must report nothing but scripts that the policy blocks. */
async function watched(engine: string, start: () => Promise<Browser>, work: (page: Page) => Promise<void>) {
  const browser = await start()
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    const complain = (text: string) => !/script-src/.test(text) && complaints.push(text)
    page.on('console', (message) => void (message.type() === 'error' && complain(message.text())))
    page.on('pageerror', (error) => void complain(String(error)))
    page.setDefaultTimeout(PATIENCE)
    await page.setViewport({ width: 1280, height: 860 })
    await work(page).catch(async (error: unknown) => {
      await page.screenshot({ path: `${shots}/failed-${engine}.png` })
      throw error
    })
    expectNone('complaints of the browser', complaints)
  } finally {
    await browser.close()
  }
}

const says = (page: Page, text: string) => page.locator(`::-p-text(${text})`).wait()

async function mainPath(page: Page, { fresh, origin }: Sandbox) {
  const { world, pay } = fresh()
  await world.configure({ payer: 'manual' })
  await page.goto(at(origin, world.username, 'phone/254712345678'))
  await says(page, 'Messages')
  await pay('both-1', { callback_url: await world.inbox.url() })
  await says(page, 'account both-1?')
  await page.keyboard.type('1234')
  await page.keyboard.press('Enter')
  await says(page, 'paid to')
  await page.goto(at(origin, world.username, 'tx/both-1'))
  await says(page, 'SUCCESS')
  await page.goto(at(origin, world.username, 'statements'))
  await says(page, 'all the same')
  await page.locator('::-p-aria([name="collection of both-1"][role="link"])').click()
  await says(page, 'Service fees')
  await page.locator('::-p-text(req_)').click()
  await says(page, '/api/v2/payments')
}

async function payByCard(page: Page, origin: string, scripts: boolean) {
  const url = await worldOf(origin, '').payin('card', 'both')
  const fill = async (id: string, text: string) => {
    await page.waitForSelector(`#${id}`)
    await page.$eval(`#${id}`, (field) => ((field as unknown as { value: string }).value = ''))
    await page.type(`#${id}`, text)
  }
  const valueOf = (id: string) =>
    page.$eval(`#${id}`, (field) => (field as unknown as { value: string }).value)
  const submit = (value: string) =>
    Promise.all([page.waitForNavigation(), page.click(`button[value=${value}]`)])
  await page.goto(url)
  await fill('number', '4242424242424241')
  if (scripts) expect('digits are grouped as typed', (await valueOf('number')) === '4242 4242 4242 4241')
  await fill('expiry', '12/30')
  await fill('cvc', '123')
  await fill('name', 'Achieng')
  await submit('pay')
  await page.waitForSelector('#number-fault')
  for (const [id, kept] of [
    ['number', '4242 4242 4242 4241'],
    ['expiry', '12/30'],
    ['cvc', '123'],
    ['name', 'Achieng'],
  ] as const)
    expect(`${id} is kept (${await valueOf(id)})`, (await valueOf(id)) === kept)
  await page.goto(`${url}?method=momo`)
  await fill('account_number', '0733111222')
  await submit('continue')
  expect('the page has its address', page.url() === url)
  await page.waitForSelector('.steps')
  await page.goto(`${url}?method=card`)
  for (const [id, text] of [
    ['number', '4000002500003155'],
    ['expiry', '12/30'],
    ['cvc', '123'],
    ['name', 'Achieng'],
  ] as const)
    await fill(id, text)
  await submit('pay')
  await fill('code', '000000')
  await submit('pass')
  await page.waitForSelector('#code[aria-invalid]')
  await fill('code', '123456')
  await submit('pass')
  await page.waitForSelector('.outcome.good')
  await page.screenshot({ path: `${shots}/paid-${scripts ? 'with' : 'without'}-scripts.png` })
}
