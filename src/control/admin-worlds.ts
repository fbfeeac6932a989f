import { exactTime } from '../service/domain/wire-time.ts'
import type { ListedWorld, WorldPlace } from '../storage/engine/worlds.ts'
import type { AdminWorld } from '../generated/control/schemas.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'
/** Worlds of all, for whoever may steer the process. */
export const adminWorlds = ({
  worlds,
  registry,
  world_ttl,
}: ControlDependencies): Pick<ControlHandlers, 'adminListWorlds'> => {
  const view = ({ name, used_at, made_at, bytes }: ListedWorld): AdminWorld => {
    const from = used_at ?? made_at
    return {
      name,
      last_used_at: used_at === undefined ? null : exactTime(used_at),
      made_at: made_at === undefined ? null : exactTime(made_at),
      expires_at: name === worlds.home || from === undefined ? null : exactTime(from + world_ttl),
      bytes,
    }
  }
  return {
    async adminListWorlds({ request: { query } }) {
      const { prefix = '', limit, after } = query
      const asked = { prefix, limit, after: after === undefined ? undefined : placeIn(after) }
      const found = await registry.list(asked)
      const last = found.worlds.at(-1)
      const isLast = last === undefined || found.worlds.length < limit
      return {
        status: 200,
        body: {
          worlds: found.worlds.map(view),
          total: found.total,
          next_after: isLast ? null : `${last.at} ${last.name}`,
        },
      }
    },
  }
}

function placeIn(text: string): WorldPlace {
  const gap = text.indexOf(' ')
  return { at: Number(text.slice(0, gap)), name: text.slice(gap + 1) }
}
