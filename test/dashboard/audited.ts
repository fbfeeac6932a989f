import { sharedAddress } from '../../dashboard/core/address.ts'
import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, forgive, goTo, settled, shots, type Subject } from './checks.ts'
import { type Sandbox, startSandbox } from './server.ts'

/** Who changed what, and who may be called back. */
export const audited: Subject = {
  async fill({ world }) {
    await world.apiKeys.create({ account_id: 63, role_id: 3, name: '<b>build</b> \u202eserver' })
    await world.snapshots.take('before <i>the</i> change')
    await world.configure({ review_after: '30d' })
  },
  looks: [
    { path: 'audit', heading: 'Audit' },
    { path: 'targets', heading: 'Callback targets' },
  ],
  async stories(sandbox) {
    await whoDidWhat(sandbox)
    await lookingOn(sandbox)
    await receiverIsAsked()
    await allOfIt()
  },
}

async function whoDidWhat({ fresh, origin }: Sandbox) {
  const player = fresh()
  const { world } = player
  await check(
    'the audit begins empty, and tells by the curl of its page who did what',
    at(origin, world.username, 'audit'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Nothing was changed yet' }).waitFor()
      const curl = (await page.locator('.empty pre').textContent())!
      expect(
        'its curl is of this world',
        curl.includes(`${world.username}:demo`) && curl.includes('/sandbox/snapshots'),
      )
      await page.screenshot({ path: `${shots}/audit-empty.png` })
      const [, body] = /-d '(.*)'$/s.exec(curl)!
      await world.fetch('/sandbox/snapshots', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      })
      const made = await world.apiKeys.create({ name: '<b>x</b>', account_id: 63, role_id: 3 })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('link', { name: 'Key created' }).click()
      const open = page.getByLabel('Open item')
      await open.getByText(made.username, { exact: true }).waitFor()
      await open.getByText('createApiKey').waitFor()
      await open.getByText('"name": "<b>x</b>"').waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/audit-entry.png` })
      await page.getByLabel('Operation').selectOption({ label: 'World reset' })
      await page.getByRole('heading', { name: 'No entries match' }).waitFor()
      await page.getByRole('button', { name: 'Show all entries' }).click()
      await page.getByLabel('Filter by person').fill('nobody')
      await page.getByRole('heading', { name: 'No entries match' }).waitFor()
      await page.getByLabel('Filter by person').fill(world.username)
      await page.getByRole('row', { name: /Snapshot taken/ }).waitFor()
      await page.getByLabel('Worlds', { exact: true }).selectOption({ label: 'all worlds' })
      await page
        .getByRole('row', { name: /Key created/ })
        .first()
        .waitFor()
      await goTo(page, world.username, 'audit/999999')
      await page.getByRole('heading', { name: 'Entry 999999 not found' }).waitFor()
    },
  )
}

async function lookingOn({ fresh, origin }: Sandbox) {
  const { world } = fresh()
  await world.snapshots.take()
  const key = await world.apiKeys.create({ account_id: 63, role_id: 4 })
  await check(
    'a key that may only look sees no audit, and asks no receiver',
    `${origin}/dashboard${sharedAddress({ world: world.username, page: 'audit' }, key)}`,
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'This key may not see it' }).waitFor()
      await goTo(page, world.username, 'targets')
      const ask = page.getByRole('button', { name: 'Verify' })
      await ask.waitFor()
      expect(
        'it cannot be asked',
        (await ask.isDisabled()) && (await ask.getAttribute('title')) === 'This key is read-only',
      )
    },
  )
}

async function receiverIsAsked() {
  const own = await startSandbox({ SANDBOX_CALLBACK_TARGETS: 'verified' })
  const { world } = own.fresh()
  await check(
    'a receiver that shows nothing is told so, and the file is offered',
    at(own.origin, world.username, 'targets'),
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('heading', { name: 'No verified receivers' }).waitFor()
      await page.getByText('required').waitFor()
      await page.getByLabel('Address').fill('http://127.0.0.1:9/callback')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page
        .getByText(/127\.0\.0\.1:9/)
        .first()
        .waitFor()
      await page.getByLabel('Method').selectOption('file')
      await page.getByText('/.well-known/payments-sandbox.txt').waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/targets.png` })
      forgive(complaints, /400/)
    },
  )
  await own.close()
}

async function allOfIt() {
  const own = await startSandbox()
  const [player, other] = [own.fresh(), own.fresh()]
  await other.world.snapshots.take()
  await player.world.show()
  await check(
    'the administrator sees all worlds, the processes, and what was done in all',
    at(own.origin, player.world.username, 'process'),
    wide,
    async ({ page }) => {
      const worlds = page.getByLabel('All worlds', { exact: true })
      await worlds.getByRole('link', { name: other.world.username }).waitFor()
      await page.getByLabel('Processes', { exact: true }).getByText('this one').waitFor()
      await page.getByLabel('Filter by name prefix').fill(other.world.username)
      await worlds.getByRole('link', { name: player.world.username }).waitFor({ state: 'detached' })
      await page.getByLabel('Filter by name prefix').fill('nobody')
      await page.getByRole('heading', { name: 'No worlds match' }).waitFor()
      await page.getByRole('button', { name: 'Show all' }).click()
      await worlds.getByRole('link', { name: player.world.username }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/process-worlds.png` })
      await goTo(page, player.world.username, 'audit?of=all')
      await page.getByRole('link', { name: 'Snapshot taken' }).click()
      await page.getByLabel('Open item').getByText(other.world.username).first().waitFor()
    },
  )
  await own.close()
}
