import type { Argument, Command, Option } from 'commander'
import { shippedScenarios } from '../../scenarios/load.ts'

/** What may stand in a place of the command line: one of these words, the path of a file, or whatever one likes. */
export type Values = { readonly words: readonly string[] } | 'files' | 'anything'

export interface Flag {
  readonly names: readonly string[]
  readonly about: string
  /** Undefined for a flag that takes none. */
  readonly values: Values | undefined
}

/** A command, and what may follow its name. */
export interface Place {
  /** `clock advance`; empty where no command was said. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly flags: readonly Flag[]
  /** Of its arguments. */
  readonly values: Values
}

/** Every command of the program. What stands for `start` where no command is said may stand there, too. */
export function placesOf(program: Command): readonly Place[] {
  const start = program.commands.find((each) => each.name() === 'start')!
  return walk(program, '').map((place) =>
    place.path === '' ? { ...place, flags: [...place.flags, ...flagsOf(start)] } : place,
  )
}

function walk(command: Command, path: string): readonly Place[] {
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

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()]

const flagsOf = (command: Command): readonly Flag[] =>
  command.options.map((option) => ({
    names: option.flags.split(/[ ,]+/).filter((word) => word.startsWith('-')),
    about: short(option.description),
    values: option.required || option.optional ? valuesOf(option) : undefined,
  }))

const aboutOf = (command: Command) => short(command.summary() || command.description())

/** The first clause: a line of a menu has little room. */
const short = (text: string) => text.replace(/[.;:(][^]*$/, '').trim()

/** By the name that it has in the help. */
function valuesOf(given: Argument | Option | undefined): Values {
  if (!given) return 'anything'
  if (given.argChoices) return { words: given.argChoices }
  const name = 'flags' in given ? (/[<[]([\w-]+)/.exec(given.flags)?.[1] ?? '') : given.name()
  if (name === 'scenario') return { words: shippedScenarios().map((each) => each.name) }
  return ['file', 'paths', 'where'].includes(name) ? 'files' : 'anything'
}
