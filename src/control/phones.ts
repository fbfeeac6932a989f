/** Phones: what is on them, how they are changed, and their menu. */
import type { Look } from '../service/domain/context.ts'
import { phoneOf } from '../service/domain/payer.ts'
import { changePhone, payFromPhone, phoneRow } from '../service/domain/phone-changes.ts'
import { readNumber } from '../service/domain/phones.ts'
import { endUnreached, isPrompt } from '../service/domain/prompts.ts'
import { flatResult } from '../service/domain/results.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { phoneSummary, phoneView } from './phone-views.ts'

export const phones: Pick<ControlHandlers, 'listPhones' | 'getPhone' | 'updatePhone' | 'payFromPhone'> = {
  async listPhones(call) {
    const { before, limit = 100 } = call.request.query
    const last = before === undefined ? undefined : readNumber('before', before).digits
    const body = await call.world.read((look) => {
      const waiting = waitingBy(look)
      const numbers = new Set([...waiting.keys(), ...look.rows.all('phones').map(({ number }) => number)])
      const sorted = [...numbers]
        .filter((number) => last === undefined || number < last)
        .sort()
        .reverse()
      const page = sorted.slice(0, limit)
      const views = page.map((number) =>
        phoneSummary(
          phoneRow(look, number),
          readNumber('number', number).country.code,
          waiting.get(number) ?? 0,
        ),
      )
      return { phones: views, next_before: sorted.length > page.length ? page.at(-1)! : null }
    })
    return { status: 200, body }
  },

  async getPhone(call) {
    const phone = readNumber('number', call.request.path.number)
    return { status: 200, body: await call.world.read((look) => phoneView(look, phone)) }
  },

  async updatePhone(call) {
    const { path, body: change } = call.request
    const phone = readNumber('number', path.number)
    const body = await call.world.change((tx) => {
      changePhone(tx, phone, change)
      endUnreached(tx, phone.digits)
      return phoneView(tx, phone)
    })
    return { status: 200, body }
  },

  async payFromPhone(call) {
    const { path, body } = call.request
    const phone = readNumber('number', path.number)
    return { status: 200, body: flatResult(await call.world.change((tx) => payFromPhone(tx, phone, body))) }
  },
}

/** How many prompts are left to the payer of each phone. */
function waitingBy({ rows }: Look): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>()
  for (const row of rows.find('transactions', 'held', 'yes'))
    if (isPrompt(row)) waiting.set(phoneOf(row), (waiting.get(phoneOf(row)) ?? 0) + 1)
  return waiting
}
