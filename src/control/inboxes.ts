import { MESSAGES_KEPT, scriptedInboxes, scriptOf } from '../callbacks/inbox.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { Look } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { ControlDependencies } from './dependencies.ts'

/** The inbox that is always there. */
const DEFAULT = 'default'

export const inboxes = ({
  inboxes: addresses,
}: ControlDependencies): Pick<ControlHandlers, 'listInboxes'> => ({
  async listInboxes(call) {
    const { world, origin } = call
    const { after = '', limit = 100 } = call.request.query
    const body = await world.read((look) => {
      const names = namesIn(look).filter((name) => name > after)
      const page = names.slice(0, limit)
      return {
        inboxes: page.map((name) => ({
          name,
          address: addresses.address(origin, world.name, name),
          ...inShort(look, name),
        })),
        next_after: names.length > limit ? page.at(-1)! : null,
      }
    })
    return { status: 200, body }
  },
})

/** The names of the inboxes that have something, in order. */
function namesIn(look: Look): readonly string[] {
  const messages = look.rows.walk('inbox', 'age', 0, { offset: 0, limit: MESSAGES_KEPT })
  const names = new Set([DEFAULT, ...scriptedInboxes(look), ...messages.map(({ inbox }) => inbox)])
  return [...names].sort()
}

function inShort(look: Look, name: string) {
  const messages = look.rows.find('inbox', 'inbox', name)
  const last = messages.at(-1)
  const { answers, answered } = scriptOf(look, name)
  return {
    messages: messages.length,
    last_at: last ? exactTime(last.at) : null,
    last_answered: last?.answered ?? null,
    answers: [...answers],
    answered,
  }
}
