import { verifiedIn, type VerifiedTarget } from '../callbacks/target.ts'
import { PROOF_PATH } from '../callbacks/verify-target.ts'
import { noneLeft } from '../service/domain/errors.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'

type Handlers = Pick<ControlHandlers, 'listCallbackTargets' | 'verifyCallbackTarget'>

/** Receivers that have shown that they want the callbacks of a world. */
export const callbackTargets = ({ targets }: ControlDependencies): Handlers => ({
  async listCallbackTargets({ world }) {
    const now = world.clock.wall()
    const verified = (await world.read(verifiedIn)).filter(({ expires_at }) => expires_at > now)
    return {
      status: 200,
      body: {
        required: targets.isRequired,
        callback_targets: verified.map(view),
        file: { path: PROOF_PATH, text: targets.textOf(world) },
      },
    }
  },

  async verifyCallbackTarget({ world, request }) {
    const { url, by = 'echo', ...rest } = request.body
    noneLeft(rest)
    return { status: 201, body: view(await targets.verify(world, url, by)) }
  },
})

const view = ({ origin, verified_at, expires_at }: VerifiedTarget) => ({
  origin,
  verified_at: exactTime(verified_at),
  expires_at: exactTime(expires_at),
})
