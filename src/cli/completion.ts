import { Argument, Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings'
import {
  bashScript,
  fishScript,
  type Flag,
  type Place,
  type Values,
  zshScript,
} from './completion-scripts.ts'
import { plainCommand, type End } from './options.ts'
import { printed } from './output.ts'
import type { Process } from './process.ts'
import { shippedScenarios } from '../scenarios/load.ts'

export function completionCommand(io: Process, end: End) {
  const completion = new Command('completion')
  return plainCommand(io, end)(
    completion
      .description(
        'Print a shell completion script for commands, flags and outcomes. For bash, add to ~/.bashrc: ' +
          'eval "$(payments-sandbox completion bash)"; for zsh, the same in ~/.zshrc after compinit; for fish, write it to ' +
          '~/.config/fish/completions/payments-sandbox.fish.',
      )
      .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'])),
    ({ json }, shell) => {
      const script = scripts[shell](placesOf(completion.parent!))
      io.out.write(json ? `${JSON.stringify({ kind: 'completion', shell, script })}\n` : script)
      return printed(io)
    },
  )
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** Returns every command of the program. The flags of `start` may also follow without a command. */
export function placesOf(program: CommandUnknownOpts): readonly Place[] {
  const start = program.commands.find((each) => each.name() === 'start')!
  return walk(program, '').map((place) =>
    place.path === '' ? { ...place, flags: [...place.flags, ...flagsOf(start)] } : place,
  )
}

function walk(command: CommandUnknownOpts, path: string): readonly Place[] {
  const help = { name: 'help', about: 'show help of a command' }
  const commands = command.commands.flatMap((each) =>
    namesOf(each).map((name) => ({ name, about: aboutOf(each) })),
  )
  const place: Place = {
    path,
    commands: commands.length > 0 ? [...commands, help] : [],
    flags: [...flagsOf(command), { names: ['--help', '-h'], about: 'show help', values: undefined }],
    values: valuesOf(command.registeredArguments[0]),
  }
  const below = command.commands.flatMap((each) =>
    namesOf(each).flatMap((name) => walk(each, `${path} ${name}`.trim())),
  )
  return [place, ...below]
}

const namesOf = (command: CommandUnknownOpts): readonly string[] => [command.name(), ...command.aliases()]

const flagsOf = (command: CommandUnknownOpts): readonly Flag[] =>
  command.options.map((option) => ({
    names: option.flags.split(/[ ,]+/).filter((word) => word.startsWith('-')),
    about: short(option.description),
    values: option.required || option.optional ? valuesOf(option) : undefined,
  }))

const aboutOf = (command: CommandUnknownOpts) => short(command.summary() || command.description())

/** Returns the first clause. */
const short = (text: string) => text.replace(/[.;:(][^]*$/, '').trim()

function valuesOf(given: Argument | Option | undefined): Values {
  if (!given) return 'anything'
  if (given.argChoices) return { words: given.argChoices }
  const name = 'flags' in given ? (/[<[]([\w-]+)/.exec(given.flags)?.[1] ?? '') : given.name()
  if (name === 'scenario' || name === 'outcome') return { words: shippedScenarios().map((each) => each.name) }
  return ['file', 'paths', 'where'].includes(name) ? 'files' : 'anything'
}
