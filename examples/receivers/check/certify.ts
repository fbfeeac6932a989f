/** Certifies a receiver by the profile of this folder: the checks of a receiver, all of them. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { certifyProfile, readProfile } from '../../../src/certify/certify.ts'
import { createSandbox } from '../../../src/index.ts'
import { start } from './process.ts'
import type { Ready } from './try.ts'

const FILE = 'examples/receivers/certify.yaml'

export interface Certified {
  readonly passed: number
  readonly faults: readonly string[]
}

export async function certifyReceiver({ start: how, folder, port }: Ready): Promise<Certified> {
  const text = readFileSync(FILE, 'utf8').replaceAll(':3000', `:${port}`)
  const read = await readProfile(FILE, text)
  const secret = read.receiver.secret!
  const begin = (secrets: string) =>
    start(how, folder, port, { WEBHOOK_SECRETS: secrets, DATA: join(folder, 'certified') })
  let receiver = await begin(secret)
  const again = async (secrets: string) => {
    await receiver.kill()
    receiver = await begin(secrets)
  }
  const restart = () => again(secret)
  const rotate = (newer: string, old: string) => again(`${newer} ${old}`.trim())
  try {
    const { checks } = await certifyProfile(
      { ...read, port: 0, restart, rotate },
      { createSandbox, only: ['RCV'] },
    )
    const tried = checks.filter(({ id }) => id.startsWith('RCV-'))
    const wrong = tried.filter(
      ({ verdict, level }) => verdict === 'fail' || (level === 'mandatory' && verdict !== 'pass'),
    )
    return {
      passed: tried.filter(({ verdict }) => verdict === 'pass').length,
      faults: wrong.map(({ id, verdict, observed }) => `${id} ${verdict}: ${observed}`),
    }
  } finally {
    await receiver.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}
