import { descriptionText } from '../files.ts'
import { printed } from './printed.ts'
import type { Process } from './process.ts'

export interface OpenapiOptions {
  readonly json?: boolean
  /** The sandbox's own API instead of the service's. */
  readonly control?: boolean
}

/** Prints a description, byte for byte as it is served. Returns the exit code. */
export async function openapi(io: Process, { json, control }: OpenapiOptions): Promise<number> {
  io.out.write(await descriptionText(control ? 'control' : 'service', json ? 'json' : 'yaml'))
  return printed(io)
}
