import type { Command } from 'commander'
import { printed } from '../printed.ts'
import type { Process } from '../process.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { type Place, placesOf } from './places.ts'
import { zshScript } from './zsh.ts'

const scripts: { readonly [shell: string]: (places: readonly Place[]) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Prints the script for a shell. Returns the exit code. */
export async function printCompletion(
  io: Process,
  program: Command,
  shell: string,
  json: boolean,
): Promise<number> {
  const script = scripts[shell]!(placesOf(program))
  io.out.write(json ? `${JSON.stringify({ kind: 'completion', shell, script })}\n` : script)
  return printed(io)
}
