import { patterns, quoted, stepsOf, taking } from './cases.ts'
import type { Place, Values } from './places.ts'

/** For zsh: evaluated, or as a file of its \`fpath\`. */
export const zshScript = (places: readonly Place[]): string => `#compdef payments-sandbox
# Completion of payments-sandbox for zsh.
_payments_sandbox() {
  local at='' i
  local -a said flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at|$words[i]" in
      (${patterns(stepsOf(places))}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at|$words[CURRENT-1]" in
${places.flatMap(afterFlags).join('\n')}
  esac
  case "$at" in
${places.map(within).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe flag flags
  else
    _describe word said
  fi
}
if [[ "$funcstack[1]" == _payments_sandbox ]]; then
  _payments_sandbox "$@"
else
  compdef _payments_sandbox payments-sandbox
fi
`

const afterFlags = (place: Place): readonly string[] =>
  taking(place).map(
    ({ names, values }) =>
      `    (${patterns(names.map((name) => `${place.path}|${name}`))}) ${offered(values)}; return ;;`,
  )

function offered(values: Values): string {
  if (values === 'anything') return '_message value'
  return values === 'files' ? '_files' : `said=(${values.words.map(quoted).join(' ')}); _describe value said`
}

/** A colon parts a word from what is said about it. */
const described = (word: string, about: string) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)

function within({ path, commands, flags, values }: Place): string {
  const words = typeof values === 'object' ? values.words.map(quoted) : []
  const said = [...commands.map(({ name, about }) => described(name, about)), ...words]
  const all = flags.flatMap(({ names, about }) => names.map((name) => described(name, about)))
  const files = values === 'files' ? ' [[ $PREFIX == -* ]] || { _files; return };' : ''
  return `    (${quoted(path)})${files} said=(${said.join(' ')}); flags=(${all.join(' ')}) ;;`
}
