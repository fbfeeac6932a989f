import type { Process } from './process.ts'

/**
 * Runs the command line. A start without flags skips loading the parser.
 * @returns The exit code.
 */
export async function run(args: readonly string[], io: Process): Promise<number> {
  if (args.length === 0 || (args.length === 1 && args[0] === 'start')) {
    const { start } = await import('./start.ts')
    return start(io, {})
  }
  const { runCommand } = await import('./program.ts')
  return runCommand(args, io)
}
