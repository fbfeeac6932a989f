import type { Page } from 'playwright-core'
import { needOf } from '../../dashboard/core/needs.ts'
import { readKey, sharedAddress } from '../../dashboard/core/address.ts'
import { violations, wide } from '../viewer/browser.ts'
import {
  at,
  check,
  expect,
  expectNone,
  forgive,
  goTo,
  settled,
  shots,
  type Subject,
  until,
} from './checks.ts'
import { type Player, playerOf, type Sandbox } from './server.ts'

/** People, money and access: what others than the integrator do, and who may look. */
export const desk: Subject = {
  async fill(player) {
    await player.world.configure({ review_after: '30d' })
    await submit(player, 65, { entity_type: 'individual', notes: '<b>First</b> submission' })
    await submit(player, 64, business)
  },
  looks: [
    { path: 'kyc', heading: 'KYC desk' },
    { path: 'kyc/502', heading: 'New Team' },
    { path: 'teams', heading: 'Teams' },
    { path: 'teams/63', heading: 'Demo Team' },
    { path: 'statements', heading: 'Statements' },
    { path: 'keys', heading: 'Keys' },
  ],
  async stories(sandbox) {
    await kycByHand(sandbox)
    await invitationByHand(sandbox)
    await statementBesideLedger(sandbox)
    await sharedLink(sandbox)
    await endedKey(sandbox)
  },
}

const post = ({ world }: Player, path: string, body: object) =>
  world.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const submit = (player: Player, account_id: number, fields: object) =>
  post(player, '/api/v2/account_kycs', { account_id, ...fields })

const business = {
  entity_type: 'business',
  country_code: 'KE',
  contact_information: {
    first_name: 'Wanjiru',
    last_name: 'Kamau',
    identification_type: 'national_id',
    identification_number: 23456789,
    upload_information: { identification_front_document: 'https://files.example/id-front.jpg' },
  },
  entity_information: {
    entity_name: 'Demo Shop Limited',
    entity_directors: 'Wanjiru Kamau, Otieno Ouma',
    upload_information: { entity_certificate_document: 'https://files.example/certificate.pdf' },
  },
}

async function kycByHand({ fresh, origin }: Sandbox) {
  const player = fresh()
  const { world } = player
  await check(
    'a KYC that comes is rejected by hand, with reasons',
    at(origin, world.username, 'kyc'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'No KYC submissions yet' }).waitFor()
      await page.getByRole('button', { name: 'Review manually' }).click()
      await page.getByText('Submissions wait for your review.', { exact: true }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      const curl = (await page.locator('.empty pre').textContent())!
      const body = JSON.parse(/-d '(.*)'$/s.exec(curl)![1]!) as object
      await page.screenshot({ path: `${shots}/kyc-empty.png` })
      expect('its curl works here', (await post(player, '/api/v2/account_kycs', body)).status < 300)
      await page
        .getByRole('table', { name: /KYC desk/ })
        .getByRole('link')
        .first()
        .waitFor()
      // A reader who comes now has the submission open.
      await goTo(page, world.username, 'home')
      await page.getByRole('link', { name: 'Review', exact: true }).click()
      const reject = page.getByRole('button', { name: 'Reject', exact: true })
      await reject.click()
      expect('it is not rejected without a reason', (await world.kyc.list())[0]!.status !== 'rejected')
      await page.getByRole('button', { name: 'The identification has expired.' }).click()
      await page.getByRole('button', { name: 'Proof of address is missing.' }).click()
      const reasons = page.getByLabel('Reasons to reject it, one per line', { exact: true })
      await reasons.fill(`${await reasons.inputValue()}\n<i>No.</i>`)
      await page.screenshot({ path: `${shots}/kyc-reject.png` })
      expectNone('axe', await violations(page))
      await reject.click()
      await page.getByText('Rejected.', { exact: true }).waitFor()
      await page.getByRole('row', { name: /rejected/ }).waitFor()
      const [review] = await world.kyc.list()
      expect(
        `the reasons are there (${JSON.stringify(review)})`,
        review!.status === 'rejected' &&
          review!.reasons.join('|') ===
            'The identification has expired.|Proof of address is missing.|<i>No.</i>',
      )
    },
  )
}

async function invitationByHand({ fresh, origin }: Sandbox) {
  const { world } = fresh()
  await check(
    'somebody is invited and accepts, and money is put in',
    at(origin, world.username, 'teams/63'),
    wide,
    async ({ page }) => {
      await page.getByText('Invite a person').click()
      await page.getByLabel('E-mail address', { exact: true }).fill('otieno@shop.example')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByRole('button', { name: 'Accept for otieno@shop.example' }).click()
      await page.getByText('otieno@shop.example joined.').waitFor()
      await page.getByRole('button', { name: 'Accept for' }).waitFor({ state: 'detached' })
      const { members } = await world.teams.get(63)
      expect(
        'he is a member',
        members.some(({ email, role }) => email === 'otieno@shop.example' && role === 'viewer'),
      )
      const before = await world.balance('team:63:wallet:KES')
      await page.getByText('Add money').click()
      await page.getByLabel('Amount, KES').fill('1234.5')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText(/New balance: KES/).waitFor()
      expect('it is booked', (await world.balance('team:63:wallet:KES')) === before + 1234.5)
      const close = page.getByRole('button', { name: /^Close channel/ }).first()
      const channel = Number(/\d+/.exec((await close.textContent())!)![0])
      await close.click()
      await page.getByText(`Channel ${channel} closed.`).waitFor()
      const { team } = await world.teams.get(63)
      expect('it is closed', team.channels.find(({ id }) => id === channel)!.is_active === false)
    },
  )
}

async function statementBesideLedger({ fresh, origin }: Sandbox) {
  const { world, pay } = fresh()
  await pay('told')
  await pay('left-out', { phone_number: '0700000121' })
  await world.settle()
  await check(
    'a statement that lies is found out beside the ledger',
    at(origin, world.username, 'statements'),
    wide,
    async ({ page }) => {
      await page.getByRole('link', { name: 'told' }).waitFor()
      await page.getByText('not in the statement').waitFor()
      await page.getByText('1 difference').waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/statement-compared.png` })
      await page.getByLabel('Comparison with the ledger').getByRole('link').click()
      await page.getByRole('table', { name: 'Lines' }).getByText('Demo Team, wallet').waitFor()
      await page.getByRole('link', { name: /^req_/ }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/posting.png` })
      await page.getByRole('link', { name: 'Demo Team, wallet' }).first().click()
      await page.getByRole('columnheader', { name: 'Balance' }).waitFor()
      await page.screenshot({ path: `${shots}/account-book.png` })
      await page.goBack()
      await page.goBack()
      await page.getByText('1 difference').waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download as CSV' }).click()
      expect('the file has its name', /^statement-demo\+w\d+\.csv$/.test((await saved).suggestedFilename()))
    },
  )
}

const linkIn = async (page: Page) =>
  (await page.getByRole('dialog').getByRole('region', { name: 'Link' }).textContent())!

async function sharedLink(sandbox: Sandbox) {
  const { world, fill } = sandbox.fresh()
  await fill.call(playerOf(sandbox.origin, world.username))
  const teams = { role_id: 4, assigned_account_ids: [64, 65] }
  const key = await world.apiKeys.create({ ...teams, name: 'a link', expires_in: '1h' })
  // The one that the dashboard makes takes its place, unless a part of the suite is run.
  let link = `${sandbox.origin}/dashboard${sharedAddress({ world: world.username, page: 'tx', thing: 'order-1' }, key)}`
  await check(
    'a link that only reads is made, and a key',
    at(sandbox.origin, world.username, 'tx/order-1'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'order-1' }).waitFor()
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('button', { name: '7 days' }).click()
      await page.screenshot({ path: `${shots}/share.png` })
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Create and copy the link' }).click()
      link = await linkIn(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/shared.png` })
      await page.getByRole('button', { name: 'Done' }).click()
      await goTo(page, world.username, 'keys')
      await page.getByRole('link', { name: 'shared link: tx order-1' }).waitFor()
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name').fill('<b>CI</b>')
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Copy the password now').waitFor()
      await page.screenshot({ path: `${shots}/new-key.png` })
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('link', { name: '<b>CI</b>' }).click()
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Revoke…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('Key revoked.').waitFor()
      await page.getByRole('row', { name: /<b>CI<\/b>.*revoked/ }).waitFor()
    },
  )
  await check('whoever has the link reads and changes nothing', link, wide, async ({ page, complaints }) => {
    await page.getByRole('heading', { name: 'order-1' }).waitFor()
    await until(page, `location.hash.endsWith('/tx/order-1')`)
    await page.getByText('You are using a read-only key').waitFor()
    await goTo(page, world.username, 'live')
    const payment = page.getByRole('button', { name: /New payment/ }).first()
    expect('a payment cannot be made', await payment.isDisabled())
    expect('it says why', (await payment.getAttribute('title')) === 'This key is read-only')
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (needOf(request.method(), pathname) !== 'read') sent.push(`${request.method()} ${pathname}`)
    })
    const pages = await page
      .locator('nav#pages a[href^="#"]')
      .evaluateAll((all) => all.map((each) => (each as unknown as { hash: string }).hash))
    // The page of the process goes by the administrator's key.
    const ofWorld = pages.filter((hash) => !hash.endsWith('/process'))
    for (const hash of [...ofWorld, `#/${world.username}/tx/order-3`, `#/${world.username}/callbacks/3`]) {
      await page.evaluate((to) => ((globalThis as { location?: { hash: string } }).location!.hash = to), hash)
      await settled(page)
      await pressAll(page)
      await goTo(page, world.username, 'live')
    }
    expectNone('sent by a key that may only look', sent)
    expectNone('refused by the sandbox', complaints)
    await page.reload()
    await page.getByText('You are using a read-only key').waitFor()
    const given = new URLSearchParams(new URL(link).hash.split('?')[1]).get('k')!
    await world.apiKeys.revoke(readKey(given)!.username)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByText(/is no longer valid/).waitFor()
    await page.screenshot({ path: `${shots}/key-revoked.png` })
    forgive(complaints, /401/)
  })
  await check('a link whose key has ended leads to the sign-in', link, wide, async ({ page, complaints }) => {
    await page.getByText(/The key of this link has expired or was revoked/).waitFor()
    expect('the key is out of the address', !(await page.evaluate<string>('location.hash')).includes('k='))
    forgive(complaints, /401/)
  })
}

async function endedKey({ fresh, origin }: Sandbox) {
  const { world } = fresh()
  await world.show()
  const key = await world.apiKeys.create({ expires_in: '4s' })
  await check(
    'a key that ends while it is looked with leads to the sign-in',
    `${origin}/dashboard${sharedAddress({ world: world.username, page: 'live' }, key)}`,
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      // A slow machine may open it too late to be let in at all.
      await page.getByText(/expired at|has expired or was revoked/).waitFor()
      expectNone('axe', await violations(page))
      forgive(complaints, /401/)
    },
  )
}

/** Presses every button that can be pressed; one that leads to a change says nothing, as it cannot be pressed. */
async function pressAll(page: Page) {
  const buttons = page.locator('main button:enabled')
  for (let n = 0; n < Math.min(await buttons.count(), 30); n++) {
    const button = buttons.nth(n)
    if (!(await button.isVisible())) continue
    const name = await button.evaluate((each) => (each as unknown as { outerHTML: string }).outerHTML)
    await button.click()
    await settled(page)
    const said = await page.getByText(/^This key is read-only/).count()
    expect(`${name} is disabled for a key that may only look`, said === 0)
    if ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape')
  }
}
