import { noneLeft } from '../service/domain/errors.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { bearerIn } from '../http/request-headers.ts'
import type { ControlDependencies } from './dependencies.ts'
import { createdWorld } from './worlds.ts'

/** A world of one's own for whoever has no key. */
export const signUp = (dependencies: ControlDependencies): Pick<ControlHandlers, 'signUp'> => ({
  async signUp(call) {
    const { guests } = dependencies
    const { name, ...rest } = call.request.body
    noneLeft(rest)
    const token = guests.requireSignUp(bearerIn(call.header('authorization')))
    const made = await guests.make('sign-up', { address: call.countedAs, name, token })
    return { status: 201, body: await createdWorld(dependencies, made, call.origin) }
  },
})
