import { patterns, quoted, stepsOf, taking } from './cases.ts'
import type { Place, Values } from './places.ts'

/** For bash from 3.2, which macOS has. */
export const bashScript = (places: readonly Place[]): string => `# Completion of payments-sandbox for bash.
_payments_sandbox_files() {
  compopt -o filenames 2>/dev/null || :
  COMPREPLY=($(compgen -f -- "$1"))
}
_payments_sandbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} at='' said='' flags='' files='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at|\${COMP_WORDS[i]}" in
      ${patterns(stepsOf(places))}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at|\${COMP_WORDS[COMP_CWORD - 1]}" in
${places.flatMap(afterFlags).join('\n')}
  esac
  case "$at" in
${places.map(within).join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ $files ]]; then
    _payments_sandbox_files "$word"
  else
    COMPREPLY=($(compgen -W "$said" -- "$word"))
  fi
}
complete -F _payments_sandbox payments-sandbox
`

const afterFlags = (place: Place): readonly string[] =>
  taking(place).map(
    ({ names, values }) =>
      `    ${patterns(names.map((name) => `${place.path}|${name}`))}) ${offered(values)}; return ;;`,
  )

function offered(values: Values): string {
  if (values === 'anything') return 'true'
  if (values === 'files') return '_payments_sandbox_files "$word"'
  return `COMPREPLY=($(compgen -W ${quoted(values.words.join(' '))} -- "$word"))`
}

function within({ path, commands, flags, values }: Place): string {
  const words = typeof values === 'object' ? values.words : []
  const said = [...commands.map(({ name }) => name), ...words]
  const names = flags.flatMap((flag) => flag.names)
  const files = values === 'files' ? ' files=1' : ''
  return `    ${quoted(path)}) said=${quoted(said.join(' '))} flags=${quoted(names.join(' '))}${files} ;;`
}
