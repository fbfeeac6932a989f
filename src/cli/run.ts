import type { Process } from './process.ts'

/**
 * Runs the command line. Returns the exit code.
 * A start without flags, as in the image, has nothing to be read: it does not wait for what reads command lines.
 */
export async function run(args: readonly string[], io: Process): Promise<number> {
  if (args.length === 0 || (args.length === 1 && args[0] === 'start')) {
    const { start } = await import('./start.ts')
    return start(io, {})
  }
  const { runCommand } = await import('./program.ts')
  return runCommand(args, io)
}
