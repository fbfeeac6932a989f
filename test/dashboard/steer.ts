import type { Page } from 'playwright-core'
import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, settled, shots, type Subject, until } from './checks.ts'
import type { Sandbox } from './server.ts'

/** What steers a world: scenarios and their files. */
export const steer: Subject = {
  async fill({ world }) {
    await world.scenarios.put('mine', 'title: Mine <b>or not</b>\nthen: { delay: 1s }\n')
    await world.scenarios.on('mine')
  },
  looks: [
    { path: 'scenarios/provider-fails-once', heading: 'The provider answers 503 once' },
    { path: 'scenarios/mine/edit', heading: 'mine', ready: written },
    { path: 'scenarios/new', heading: 'New scenario', ready: written },
  ],
  async stories(sandbox) {
    await mistakes(sandbox)
    await editorByKeyboard(sandbox)
  },
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
  answer: 201
  status: failed
  reason: cancelled
  callbacks: [failed]
`

/** What is written instead of what, where it is shown, and what is said. */
const known = [
  ['then:', 'than:', '7:1', '"than" is not a word here'],
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
      await page.getByRole('button', { name: 'Try it now' }).click()
      await page.getByText('What was promised came.').waitFor()
      await page.screenshot({ path: `${shots}/tried.png` })
      await settled(page)
      expectNone('axe', await violations(page))
      await page.getByRole('link', { name: 'To the transaction' }).click()
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
