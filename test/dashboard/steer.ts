import type { Page } from 'playwright-core'
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
import { playerOf, type Sandbox, startSandbox } from './server.ts'

/** What steers a world: scenarios and their files. */
export const steer: Subject = {
  async fill({ world }) {
    await world.scenarios.put(
      'mine',
      'title: Mine <b>or not</b>\nwhen: { operation: getAccount }\nthen: { delay: 1s }\n',
    )
    await world.scenarios.on('mine')
  },
  looks: [
    { path: 'scenarios/provider-fails-once', heading: 'The provider answers 503 once' },
    { path: 'scenarios/mine/edit', heading: 'mine', ready: written },
    { path: 'process', heading: 'Process' },
    { path: 'incidents', heading: 'Incidents' },
    { path: 'incidents/m-pesa-stalls', heading: 'm-pesa-stalls' },
    { path: 'scenarios/new', heading: 'New scenario', ready: written },
  ],
  async stories(sandbox) {
    await mistakes(sandbox)
    await editorByKeyboard(sandbox)
    await settingsInTwoWindows(sandbox)
    await backAndForth(sandbox)
    await worldThatGoes(sandbox)
    await worldThatIsMade(sandbox)
    await quickClock(sandbox)
    await incidentByHand(sandbox)
    await administrator()
  },
}

async function incidentByHand({ fresh, origin }: Sandbox) {
  const { world } = fresh()
  await world.clock.freeze()
  await check(
    'an incident is started, stepped through and stopped',
    at(origin, world.username, 'incidents'),
    wide,
    async ({ page }) => {
      await page.getByRole('link', { name: 'm-pesa-stalls' }).click()
      const item = page.getByRole('article', { name: 'm-pesa-stalls' })
      const press = (name: string) => item.getByRole('button', { name, exact: true }).click()
      await press('Start')
      await item.getByText('running', { exact: true }).waitFor()
      await press('Next step')
      await item.getByText('in force', { exact: true }).first().waitFor()
      const [running] = (await world.incidents.list()).filter(({ state }) => state === 'running')
      expect('it runs in the world', running?.name === 'm-pesa-stalls')
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/incident.png` })
      await press('Stop')
      await item.getByText('stopped', { exact: true }).waitFor()
    },
  )
}

/** Waits until a file is there and was checked. */
async function written(page: Page) {
  await page.getByText('none', { exact: true }).waitFor()
}

const right = `title: The payer cancels the prompt
when:
  operation: [createCollection, createGlobalPayment]
  direction: payin
  amount: { gte: 5000 }
  body.phone_number: { startsWith: '254' }
then:
  delay: 10ms
  settle: { after: 1s, status: failed, reason: cancelled }
expect:
  request: { operation: createCollection, body: { amount: 5000 } }
  response: 201
  status: failed
  reason: cancelled
  callbacks: [failed]
`

/** What is written instead of what, where it is shown, and what is said. */
const known = [
  ['then:', 'than:', '7:1', '"than" is not a known key'],
  ['startsWith', 'startWith', '6:24', 'did you mean startsWith?'],
  ['createCollection,', 'createColection,', '3:15', '"createColection" is not an operation'],
  ['reason: cancelled }', 'reason: canceled }', '9:48', '"canceled" is not a reason'],
  ['status: failed,', 'status: fail,', '9:32', '"fail" is not a final status'],
  ['direction: payin', 'direktion: payin', '4:3', '"direktion" is not a fact'],
  ['body.phone_number', 'body.phone_numbr', '6:3', 'did you mean phone_number?'],
  ['after: 1s', 'after: 3 sec', '9:20', '"3 sec" is not a duration'],
  ['title: The payer cancels the prompt', 'title: 12', '1:8', 'title must be text in quotes, got 12'],
  [', reason: cancelled }', ' }', '9:32', 'status failed needs a reason'],
  ['  delay: 10ms', '\tdelay: 10ms', '8:1', 'Tabs are not allowed as indentation'],
] as const

async function mistakes(sandbox: Sandbox) {
  const player = sandbox.fresh()
  const { username } = player.world
  await check(
    'each mistake in a scenario is shown at its line and column; mended, saved and tried, it does what it promises',
    at(sandbox.origin, username, 'scenarios/new'),
    wide,
    async ({ page }) => {
      const file = page.getByRole('textbox', { name: /^The file of/ })
      const list = page.getByRole('region', { name: 'Mistakes' })
      const place = (where: string) => list.getByRole('button', { name: where, exact: true })
      await page.getByLabel('Name').fill('mine')
      for (const [from, to, where, said] of known) {
        await file.fill(right.replace(from, to))
        await place(where).waitFor()
        await list.getByText(said).first().waitFor()
        const line = Number(where.split(':')[0])
        await until(
          page,
          `document.querySelectorAll('.gutter li')[${line - 1}].classList.contains('wrong') && document.querySelector('.y-wrong') !== null`,
        )
        expect('it cannot be saved', await page.getByRole('button', { name: 'Save' }).isDisabled())
      }
      await file.fill(right.replace('reason: cancelled }', 'reason: canceled }'))
      await place('9:48').click()
      await until(page, `document.activeElement.tagName === 'TEXTAREA'`)
      const at = await page.evaluate<number>(`document.activeElement.selectionStart`)
      expect('a click leads there', right.slice(at).startsWith('cancelled'))
      await page.screenshot({ path: `${shots}/mistake.png` })
      expectNone('axe', await violations(page))
      await list.getByRole('button', { name: 'Write cancelled' }).click()
      await written(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await until(page, `location.hash.endsWith('/scenarios/mine/edit')`)
      await page.getByRole('button', { name: 'Try it' }).click()
      await page.getByText('All expectations were met.').waitFor()
      await page.screenshot({ path: `${shots}/tried.png` })
      await settled(page)
      expectNone('axe', await violations(page))
      await page.getByRole('link', { name: 'To the payment' }).click()
      await page.getByRole('heading', { name: /^mine-/ }).waitFor()
    },
  )
  const [kept] = await player.world.transactions.list()
  if (kept) expect(`it failed as it promises (${kept.reason})`, kept.reason === 'cancelled')
}

async function editorByKeyboard(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await check(
    'words are completed, and Tab does not hold who leaves',
    at(sandbox.origin, world.username, 'scenarios/new'),
    wide,
    async ({ page }) => {
      const file = page.getByRole('textbox', { name: /^The file of/ })
      await file.fill('title: By hand\nthen:\n')
      await file.press('Control+End')
      await page.keyboard.press('Tab')
      await page.keyboard.type('settle: { status: fai')
      await page.getByRole('option', { name: 'failed' }).waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/completed.png` })
      await page.keyboard.press('Enter')
      await page.keyboard.type(', rea')
      await page.getByRole('option', { name: /^reason/ }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('expi')
      await page.keyboard.press('Tab')
      await page.keyboard.type(' }')
      const text = await file.inputValue()
      expect(
        `it was written (${text})`,
        text === 'title: By hand\nthen:\n  settle: { status: failed, reason: expired }',
      )
      await written(page)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Tab')
      await until(page, `document.activeElement.tagName !== 'TEXTAREA'`)
    },
  )
}

async function settingsInTwoWindows(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await check(
    'two windows see each other change settings, and what is wrong stands at its field',
    at(sandbox.origin, world.username, 'worlds'),
    wide,
    async ({ page, complaints }) => {
      const other = await page.context().newPage()
      await other.goto(at(sandbox.origin, world.username, 'worlds'))
      const after = (each: Page) => each.getByLabel('Settle after')
      await after(other).waitFor()
      await other.getByLabel('Review after').fill('7s')
      await page.getByLabel('Payer', { exact: true }).selectOption('manual')
      await after(page).fill('soon')
      // A change survives that its field is filtered out.
      await page.getByRole('searchbox', { name: 'Find a setting' }).fill('RETRY sp')
      await after(page).waitFor({ state: 'detached' })
      await page.getByLabel('Retry speed').fill('0')
      await page.getByRole('button', { name: 'Save 3 changes' }).click()
      await page.getByText(/retry_speed must be at least 0.001, got 0/).waitFor()
      await until(
        page,
        `document.activeElement !== null && document.querySelectorAll('[aria-invalid="true"]').length === 1`,
      )
      await page.getByLabel('Retry speed').fill('2')
      await page.getByRole('button', { name: 'Save 3 changes' }).click()
      await page.getByText(/settle_after "soon" is not a duration/).waitFor()
      await page.screenshot({ path: `${shots}/settings-fault.png` })
      expectNone('axe', await violations(page))
      await after(page).fill('5s')
      await page.getByRole('button', { name: 'Save 3 changes' }).click()
      await until(other, `[...document.querySelectorAll('input')].some(({ value }) => value === '5s')`)
      expect('what is being typed stays', (await other.getByLabel('Review after').inputValue()) === '7s')
      await other.getByRole('button', { name: 'Save 1 change' }).click()
      await until(page, `[...document.querySelectorAll('input')].some(({ value }) => value === '7s')`)
      const { settings } = await world.show()
      expect(`all were changed (${settings.settle_after})`, settings.settle_after === '5s')
      forgive(complaints, /400/)
    },
  )
}

async function backAndForth(sandbox: Sandbox) {
  const player = sandbox.fresh()
  const { username } = player.world
  await check(
    'a snapshot leads back; an export is imported',
    at(sandbox.origin, username, 'worlds'),
    wide,
    async ({ page }) => {
      const count = (many: number) =>
        page
          .getByText(`${many} payment${many === 1 ? '' : 's'}, `)
          .first()
          .waitFor()
      await page.getByLabel('Name of the snapshot').fill('before')
      await page.getByRole('button', { name: 'Take a snapshot' }).click()
      await page.getByRole('button', { name: 'Go back…' }).waitFor()
      await player.pay('kept-1')
      await goTo(page, username, 'tx')
      await page.getByRole('link', { name: 'kept-1' }).waitFor()
      await goTo(page, username, 'worlds')
      await count(1)
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      const file = await (await download).path()
      await page.getByRole('button', { name: 'Go back…' }).click()
      await page.getByRole('button', { name: 'Go back', exact: true }).click()
      await count(0)
      await page.getByLabel('File of an exported world').setInputFiles(file)
      await page
        .getByRole('dialog')
        .getByText(/It replaces all data of the open world/)
        .waitFor()
      await page.screenshot({ path: `${shots}/import.png` })
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await count(1)
      await goTo(page, username, 'tx')
      await page.getByRole('link', { name: 'kept-1' }).waitFor()
    },
  )
}

async function worldThatGoes(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  const root = playerOf(sandbox.origin, 'demo').world
  const isThere = async () =>
    (await root.fetch(`/sandbox/worlds/${encodeURIComponent(world.username)}`)).status === 200
  await check(
    'a world that is deleted under an open window is made again when asked, not before',
    at(sandbox.origin, world.username, 'worlds'),
    wide,
    async ({ page, complaints }) => {
      const other = await page.context().newPage()
      await other.goto(at(sandbox.origin, world.username, 'live'))
      await other.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await page.getByLabel('Settle after').waitFor()
      await settled(page)
      await settled(other)
      await world.delete()
      for (const each of [page, other])
        await each.getByRole('heading', { name: 'This world was deleted' }).waitFor()
      expect('nobody made it again', !(await isThere()))
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/gone.png` })
      await page.getByRole('button', { name: 'Create it again' }).click()
      await page.getByLabel('Settle after').waitFor()
      expect('it is there', await isThere())
      // A request of its owner that arrives after the deletion would create it again.
      await settled(page)
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await until(page, `location.hash === '#/demo/worlds'`)
      await page.getByLabel('Settle after').waitFor()
      expect('it is gone', !(await isThere()))
      forgive(complaints, /40[14]/)
    },
  )
}

async function worldThatIsMade(sandbox: Sandbox) {
  await check(
    'a world is made with people and a history',
    at(sandbox.origin, 'demo', 'worlds'),
    wide,
    async ({ page }) => {
      await page.getByRole('button', { name: 'Create a world' }).click()
      const form = page.getByRole('dialog', { name: 'Create a world' })
      await form.getByLabel('Name').fill('Peopled')
      await form.getByRole('combobox', { name: 'Contents' }).selectOption('a small shop')
      await form.getByLabel('Transactions').fill('12')
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/make-world.png` })
      await form.getByRole('button', { name: 'Create' }).click()
      await page
        .getByRole('dialog', { name: 'World created' })
        .getByText(/^demo\+w-.+:.+/)
        .waitFor()
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Open' }).click()
      await until(page, `location.hash.includes('+w-')`)
      await page.getByRole('button', { name: /Peopled/ }).waitFor()
    },
  )
}

async function quickClock(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await world.clock.speed(3_600)
  await check(
    'a clock that goes 3,600 times as fast is drawn four times a second at most',
    at(sandbox.origin, world.username, 'clock'),
    wide,
    async ({ page }) => {
      await page.getByText('3,600 times as fast').first().waitFor()
      await settled(page)
      const drawn = await page.evaluate<{ times: number; seconds: number }>(
        `new Promise((done) => {
          let times = 0
          const begun = performance.now()
          const face = document.querySelector('.face time')
          const watch = new MutationObserver(() => times++)
          watch.observe(face, { characterData: true, subtree: true, childList: true })
          const look = () => {
            const seconds = (performance.now() - begun) / 1000
            if (times < 6) return setTimeout(look, 100)
            watch.disconnect()
            done({ times, seconds })
          }
          look()
        })`,
      )
      expect(`it was drawn ${drawn.times} times in ${drawn.seconds} s`, drawn.times <= 5 * drawn.seconds + 2)
      await world.clock.freeze()
      await page.getByText('frozen', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: /To the next business day/ }).waitFor()
      await page.getByLabel('Time zone').selectOption('Nairobi')
      await page.getByLabel('To a time').fill('2030-06-03T09:00')
      await page.getByText('Mon 3 Jun 2030 06:00:00 UTC').waitFor()
      await page.getByRole('button', { name: 'To this time' }).click()
      await page.getByText(/The clock is at 2030-06-03 06:00 UTC/).waitFor()
    },
  )
}

async function administrator() {
  const token = 'a token of its own'
  const password = 'a password of its own'
  const hosted = await startSandbox({
    SANDBOX_MODE: 'hosted',
    SANDBOX_API_PASSWORD: password,
    SANDBOX_ADMIN_TOKEN: token,
    SANDBOX_METRICS: 'on',
  })
  await check(
    'the process is shown to its administrator alone',
    at(hosted.origin, 'demo', 'process'),
    wide,
    async ({ page, complaints }) => {
      await page.getByLabel('API username').fill('demo')
      await page.getByLabel('API password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const field = page.getByLabel('Administrator token')
      await field.waitFor()
      expectNone('complaints before there is a token', complaints)
      await field.fill('another one')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('Invalid token.').waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/administrator.png` })
      await field.fill(token)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('Requests of all worlds').waitFor()
      await page.getByText('Data of worlds').waitFor()
      await page.getByLabel('Type').selectOption('fixed')
      await page.getByLabel('Milliseconds').fill('100')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(/Applies to new requests in all worlds/).waitFor()
      const headers = { authorization: `Bearer ${token}` }
      const said = await (await fetch(`${hosted.origin}/__admin/settings`, { headers })).text()
      expect(`it is held up (${said})`, said.includes('"milliseconds":100'))
      forgive(complaints, /401/)
    },
  )
  await hosted.close()
}
