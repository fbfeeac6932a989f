import { connect } from '../client/connect.ts'
import { SandboxError } from '../client/transport.ts'
import { profileOf, profileText, UNSEEN } from '../certify/init.ts'
import type { Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { reasonOf } from './unreachable.ts'

/** Prints a profile to begin with, whether a sandbox answers or not. @returns the exit code */
export async function printProfile({ out, err }: Process, target: Target, json = false): Promise<number> {
  try {
    const { url, ...credentials } = target
    const found = await profileOf(connect(url, credentials), url)
    out.write(json ? `${JSON.stringify({ kind: 'profile', ...found })}\n` : profileText(found))
    return exitCodes.done
  } catch (error) {
    if (error instanceof SandboxError) err.write(`${error.message}\n`)
    else if (error instanceof TypeError) {
      err.write(`${reasonOf(error, target.url)}: what follows is a profile of no shop in particular\n`)
      out.write(json ? `${JSON.stringify({ kind: 'profile', ...UNSEEN })}\n` : profileText(UNSEEN))
    } else throw error
    return exitCodes.unreachable
  }
}
