import { quoted, stepsOf } from './cases.ts'
import type { Flag, Place, Values } from './places.ts'

/** For fish. */
export const fishScript = (places: readonly Place[]): string => `# Completion of payments-sandbox for fish.
function __payments_sandbox_at
    set -l at
    for word in (commandline -opc)[2..-1]
        switch "$at|$word"
            case ${stepsOf(places).map(quoted).join(' ')}
                set -a at $word
        end
    end
    test "$at" = "$argv[1]"
end
complete -c payments-sandbox -e
complete -c payments-sandbox -f
${places.flatMap(linesOf).join('\n')}
`

function linesOf({ path, commands, flags, values }: Place): readonly string[] {
  const at = `complete -c payments-sandbox -n ${quoted(`__payments_sandbox_at ${quoted(path).replaceAll("'", '"')}`)}`
  return [
    ...commands.map(({ name, about }) => `${at} -a ${quoted(name)} -d ${quoted(about)}`),
    ...(values === 'files' ? [`${at} -F`] : []),
    ...(typeof values === 'object' ? [`${at} -a ${quoted(values.words.join(' '))}`] : []),
    ...flags.map((flag) => `${at} ${flagOf(flag)}`),
  ]
}

function flagOf({ names, about, values }: Flag): string {
  const words = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  return [...words, ...(values ? [after(values)] : []), `-d ${quoted(about)}`].join(' ')
}

function after(values: Values): string {
  if (values === 'files') return '-r -F'
  return values === 'anything' ? '-x' : `-x -a ${quoted(values.words.join(' '))}`
}
