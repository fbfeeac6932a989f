import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { testCards } from '../../src/service/domain/cards.ts'
import { english } from '../../src/pages/checkout/words.ts'
import {
  dark,
  desktop,
  narrow,
  phone,
  untilHolds,
  violations,
  startBrowser,
  visit,
  type Look,
  type Visit,
} from '../viewer/browser.ts'
import { startSandbox } from '../viewer/pages.ts'
import { startShop, worldOf } from './shop.ts'

const shots = 'test-output/checkout'
mkdirSync(shots, { recursive: true })

// A payment that nobody has opened yet is not to settle while a browser starts.
const sandbox = await startSandbox({ SANDBOX_SETTLE_AFTER: '1h' })
const shop = await startShop()
const world = () => worldOf(sandbox.origin, shop.thanks)

/** Milliseconds after which a page hangs, on a machine that does much else too. */
const PATIENCE = 120_000

/** Those whose name has this, all when it is left out. */
const only = process.argv[2] ?? ''
let passed = 0
let failed = 0
const browser = await startBrowser()

async function check(
  what: string,
  look: Look,
  open: () => Promise<string>,
  use: (visit: Visit) => Promise<void>,
) {
  if (!what.includes(only)) return
  try {
    await visit(
      await open(),
      look,
      [sandbox.origin, ...shop.origins],
      async (opened) => {
        opened.page.setDefaultTimeout(PATIENCE)
        await use(opened).catch(async (error: unknown) => {
          await opened.page.screenshot({ path: `${shots}/failed.png`, fullPage: true })
          throw error
        })
        // The answer to a form that is refused has a status of its own, which a browser notes.
        const told = opened.complaints.filter((each) => !/status of 400/.test(each))
        expectNone('complaints of the browser', told)
        expectNone('requests elsewhere', opened.strangers)
      },
      browser,
    )
    passed += 1
    console.log(`ok    ${what}`)
  } catch (error) {
    failed += 1
    console.log(`FAIL  ${what}\n      ${String(error).replaceAll('\n', '\n      ')}`)
  }
}

function expectNone(what: string, found: readonly string[]) {
  if (found.length > 0) throw new Error(`${what}:\n${found.join('\n')}`)
}

function expect(what: string, holds: boolean) {
  if (!holds) throw new Error(`not so: ${what}`)
}

/** In the page: whether it scrolls sideways, and by what. */
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.tagName + '.' + each.className)`

async function isGood(page: Page, name: string) {
  await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
  expectNone('wider than the page', await page.evaluate<string[]>(tooWide))
  expectNone('axe', await violations(page))
}

async function type(
  page: Page,
  number: string,
  { expiry = '12/30', cvc = '123', name = 'Achieng Odhiambo' } = {},
) {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill(expiry)
  await page.getByLabel('CVC').fill(cvc)
  await page.getByLabel('Name on card').fill(name)
}

const pressPay = (page: Page) => page.getByRole('button', { name: /^Pay KES/ }).click()
/** Enters a wrong code first. */
async function confirm(page: Page) {
  for (const code of ['000000', '123 456']) {
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Confirm' }).click()
    if (code === '000000') await says(page, 'The code is wrong.')
  }
}

const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

/** Waits until the payer is back at the shop, by nothing but the page's own doing. */
const isBack = async (page: Page, status: string) => {
  await page.waitForURL(`${shop.origins[1]}/end?**`)
  await says(page, `order 1: ${status}`)
}

const looks = [
  ['320 light', narrow],
  ['390 dark', dark(phone)],
  ['desktop light', desktop],
  ['desktop dark', dark(desktop)],
] as const

for (const [name, look] of looks) {
  const file = name.replace(' ', '-')
  const w = world()
  await check(
    `every page reads well, ${name}`,
    look,
    () => w.payin(),
    async ({ page }) => {
      await says(page, /Complete the payment by \d\d:\d\d on/)
      await isGood(page, `card-${file}`)
      await page.getByText('Test cards').click()
      await isGood(page, `test-cards-${file}`)
      await type(page, '4242 4242 4242 4241', { expiry: '01/20', cvc: 'x' })
      await pressPay(page)
      await says(page, 'Card number has a wrong check digit')
      await isGood(page, `faults-${file}`)
      await type(page, '4000 0000 0000 9995')
      await pressPay(page)
      await says(page, 'was declined')
      await isGood(page, `declined-${file}`)
      await type(page, '4000 0025 0000 3155')
      await pressPay(page)
      await says(page, 'Confirm this payment?')
      await isGood(page, `bank-${file}`)
      await page.getByRole('link', { name: 'Back to the payment' }).click()
      await says(page, 'Confirm this payment with your bank.')
      await isGood(page, `challenged-${file}`)
      for (const rail of ['momo', 'bank'] as const) {
        await page.goto(await w.payin(rail, `order-${rail}`))
        await isGood(page, `rail-${rail}-${file}`)
        await page.getByRole('link', { name: rail === 'momo' ? 'Bank account' : 'Mobile money' }).click()
        await page.getByLabel(rail === 'momo' ? 'Account number' : 'Phone number').fill(' ')
        await page.getByRole('button', { name: 'Continue' }).click()
        await says(page, 'Enter a valid')
        await isGood(page, `other-rail-${rail}-${file}`)
      }
      const ends = worldOf(sandbox.origin, '')
      for (const [outcome, text] of [
        ['pay', 'Paid'],
        ['cancel', 'Cancelled'],
        ['expire', 'Expired'],
        ['fail', 'Payment failed'],
      ] as const) {
        await page.goto(await ends.payin('card', outcome))
        if (outcome === 'pay') {
          await type(page, '4242424242424242')
          await pressPay(page)
        } else if (outcome === 'cancel') await page.getByRole('button', { name: 'Cancel' }).click()
        else {
          if (outcome === 'fail') {
            await type(page, '4000000000009979')
            await pressPay(page)
            await says(page, 'was declined')
          }
          await ends.advance('10m')
          await page.reload()
        }
        await page.getByText(text, { exact: true }).waitFor()
        await isGood(page, `${outcome}-${file}`)
      }
    },
  )
}

await check(
  'each test card does what the list says',
  desktop,
  () => world().payin(),
  async ({ page }) => {
    for (const { number, reason, three_d_secure, brand } of testCards) {
      await page.goto(await world().payin())
      await type(page, number, { cvc: brand === 'American Express' ? '1234' : '123' })
      await pressPay(page)
      if (three_d_secure) await confirm(page)
      if (reason) {
        await says(page, english.reasons[reason as keyof typeof english.reasons])
        await page.getByLabel('Card number').waitFor()
      } else await isBack(page, 'success')
    }
  },
)

{
  const w = world()
  await check(
    'three cards that are declined end it',
    phone,
    () => w.payin(),
    async ({ page }) => {
      for (const [number, then] of [
        ['4000000000000002', 'You can try 2 more cards.'],
        ['4000000000009995', 'You can try one more card.'],
        ['4000000000000069', 'The card has expired.'],
      ] as const) {
        await type(page, number)
        await pressPay(page)
        await says(page, then)
      }
      await isBack(page, 'failed')
      const [checkout] = (await w.ask('GET', '/sandbox/checkouts')).checkouts
      expect(`it failed for the last (${checkout.reason})`, checkout.reason === 'card_expired')
    },
  )
}

await check(
  'by keyboard alone, and led over two hosts',
  desktop,
  () => world().payin(),
  async ({ page }) => {
    const order: string[] = []
    const next = async () => {
      await page.keyboard.press('Tab')
      order.push(await page.evaluate('document.activeElement.name || document.activeElement.tagName'))
    }
    // The methods come first.
    for (let n = 0; n < 3; n++) await page.keyboard.press('Tab')
    for (const text of ['4242 4242 4242 4242', '1230', '123', 'Achieng']) {
      await next()
      await page.keyboard.type(text)
    }
    expect(`the order of fields (${order.join()})`, order.join() === 'number,expiry,cvc,name')
    await page.keyboard.press('Enter')
    await page.getByText('Paid', { exact: true }).waitFor()
    await page.screenshot({ path: `${shots}/paid-led-on.png` })
    await isBack(page, 'success')
  },
)

await check(
  'faults are shown in place, and the input stays',
  phone,
  () => world().payin(),
  async ({ page }) => {
    await pressPay(page)
    for (const label of ['Card number', 'Expiry', 'CVC', 'Name on card'])
      await says(page, `${label} is required.`)
    await type(page, '4242 4242 4242 4241', { cvc: '12' })
    await pressPay(page)
    await says(page, 'Card number has a wrong check digit')
    const value = (label: string) => page.getByLabel(label).inputValue()
    expect('the number stays, in groups', (await value('Card number')) === '4242 4242 4242 4241')
    expect('the security code stays', (await value('CVC')) === '12')
    await says(page, 'Visa')
    expect('the expiry stays', (await value('Expiry')) === '12/30')
    expect('the name stays', (await value('Name on card')) === 'Achieng Odhiambo')
    // The first fault has the focus.
    await page.locator('#number:focus').waitFor()
    await type(page, '4242 4242 4242 4242')
    await page.keyboard.press('Enter')
    await isBack(page, 'success')
  },
)

for (const [button, status] of [
  ['Confirm', 'success'],
  ['Reject', 'failed'],
] as const)
  await check(
    `3-D Secure: ${button}`,
    phone,
    () => world().payin(),
    async ({ page }) => {
      await type(page, '4000 0025 0000 3155')
      await pressPay(page)
      if (button === 'Confirm') await confirm(page)
      else await page.getByRole('button', { name: button }).click()
      if (status === 'failed') {
        await says(page, 'Your bank did not confirm the payment.')
        await page.getByRole('button', { name: 'Cancel' }).click()
      }
      await isBack(page, status)
    },
  )

{
  const w = world()
  await check(
    '3-D Secure that nobody answers expires by itself',
    phone,
    () => w.payin(),
    async ({ page }) => {
      await type(page, '4000 0025 0000 3155')
      await pressPay(page)
      await says(page, 'Confirm this payment?')
      await w.speed(300)
      await page.reload()
      await isBack(page, 'failed')
    },
  )
}

{
  const w = world()
  await check(
    'cancelled, and late',
    phone,
    () => w.payin(),
    async ({ page }) => {
      const url = page.url()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await isBack(page, 'failed')
      await page.goto(url)
      await page.getByText('Cancelled', { exact: true }).waitFor()
      await page.goto(await w.payin('card', 'order-2'))
      await type(page, '4242424242424242')
      await w.advance('10m')
      await pressPay(page)
      await page.getByText('Expired', { exact: true }).waitFor()
      await isBack(page, 'failed')
    },
  )
}

{
  const w = world()
  await check(
    'left open it counts down and expires by itself',
    desktop,
    () => w.payin(),
    async ({ page }) => {
      const left = `getComputedStyle(document.querySelector('.left'), '::after').getPropertyValue('--minutes')`
      const minutes = await page.evaluate<string>(left)
      expect(`ten minutes are left (${minutes})`, /^(9|10)$/.test(minutes))
      await w.speed(30)
      await page.reload()
      // After twenty seconds there is nothing left to look at.
      await untilHolds(page, `document.querySelector('.left') && Number(${left}) < 8`)
      await page.getByText('Expired', { exact: true }).waitFor()
      await isBack(page, 'failed')
    },
  )
}

await check(
  'a form that is pressed twice is sent once, and again after it was stopped',
  desktop,
  () => world().payin(),
  async ({ page }) => {
    await page.clock.install()
    await type(page, '4242 4242 4242 4242')
    const sent: string[] = []
    await page.route('**/checkout/**', (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      sent.push(route.request().url())
      // The page stays, as when its payer stops it.
      return route.fulfill({ status: 204 })
    })
    const press = () => page.evaluate(`document.querySelector('button[value=pay]').click()`)
    const isSent = () => page.waitForEvent('requestfailed', (request) => request.method() === 'POST')
    await Promise.all([isSent(), press()])
    await press()
    await page.clock.fastForward(14_000)
    await press()
    expect(`it is sent once (${sent.length})`, sent.length === 1)
    await page.clock.fastForward(2_000)
    await Promise.all([isSent(), press()])
    expect(`it is sent again (${sent.length})`, sent.length === 2)
  },
)

{
  const w = world()
  await check(
    'a Team of its own looks, hostile texts included',
    narrow,
    async () => {
      await w.brand({
        theme_color: '#ffcc00',
        payment_note: `Collect at <b>gate 4</b>\n${'long'.repeat(60)}`,
      })
      return w.payin('card', `order "<script>alert(1)</script>" ${'x'.repeat(150)}`, 150_000)
    },
    async ({ page }) => {
      await says(page, 'Collect at <b>gate 4</b>')
      await isGood(page, 'brand-320')
    },
  )
}

await sandbox.close()
shop.close()
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
