import { Argument, Command } from 'commander'
import type { End } from './commands.ts'
import { jsonOption } from './options.ts'
import type { Process } from './process.ts'

export function completionCommand(io: Process, end: End): Command {
  const completion = new Command('completion')
  return completion
    .summary('print what lets a shell complete the words of this command')
    .description(
      'Print a script that lets a shell complete commands, flags and the names of scenarios. For bash, put into ~/.bashrc: ' +
        'eval "$(payments-sandbox completion bash)"; for zsh the same in ~/.zshrc, after compinit; for fish, write it to ' +
        '~/.config/fish/completions/payments-sandbox.fish.',
    )
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addOption(jsonOption())
    .action(async (shell: 'bash' | 'zsh' | 'fish', { json = false }: { readonly json?: boolean }) => {
      const { printCompletion } = await import('./completion/print.ts')
      end(await printCompletion(io, completion.parent!, shell, json))
    })
}
