/** The values of an argument or flag: fixed words, file paths, or any text. */
export type Values = { readonly words: readonly string[] } | 'files' | 'anything'

export interface Flag {
  readonly names: readonly string[]
  readonly about: string
  /** Undefined for a flag without a value. */
  readonly values: Values | undefined
}

/** A command and its completions. */
export interface Place {
  /** Such as `clock advance`; empty before any command. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly flags: readonly Flag[]
  readonly values: Values
}

/** Returns the paths of commands, such as `clock|advance`. */
const stepsOf = (places: readonly Place[]): readonly string[] =>
  places.flatMap(({ path, commands }) => commands.filter(notHelp).map(({ name }) => `${path}|${name}`))

const notHelp = ({ name }: { readonly name: string }) => name !== 'help'

/** Returns the flags with values. */
const taking = ({ flags }: Place): readonly (Flag & { readonly values: Values })[] =>
  flags.flatMap((flag) => (flag.values ? [{ ...flag, values: flag.values }] : []))

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const patterns = (texts: readonly string[]): string => texts.map(quoted).join(' | ')

/** Returns the cases of bash and zsh for the values of flags. */
const valueCases = (places: readonly Place[], open: '' | '(', offered: (values: Values) => string) =>
  places
    .flatMap((place) =>
      taking(place).map(
        ({ names, values }) =>
          `    ${open}${patterns(names.map((name) => `${place.path}|${name}`))}) ${offered(values)}; return ;;`,
      ),
    )
    .join('\n')

/** Supports bash 3.2, the version of macOS. */
export const bashScript = (places: readonly Place[]): string => `# Completion of payments-sandbox for bash.
_payments_sandbox_files() {
  compopt -o filenames 2>/dev/null || :
  COMPREPLY=($(compgen -f -- "$1"))
}
_payments_sandbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} at='' candidates='' flags='' files='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at|\${COMP_WORDS[i]}" in
      ${patterns(stepsOf(places))}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at|\${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(places, '', bashOffered)}
  esac
  case "$at" in
${places.map(bashPlace).join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ $files ]]; then
    _payments_sandbox_files "$word"
  else
    COMPREPLY=($(compgen -W "$candidates" -- "$word"))
  fi
}
complete -F _payments_sandbox payments-sandbox
`

function bashOffered(values: Values): string {
  if (values === 'anything') return 'true'
  if (values === 'files') return '_payments_sandbox_files "$word"'
  return `COMPREPLY=($(compgen -W ${quoted(values.words.join(' '))} -- "$word"))`
}

function bashPlace({ path, commands, flags, values }: Place): string {
  const words = typeof values === 'object' ? values.words : []
  const candidates = [...commands.map(({ name }) => name), ...words]
  const names = flags.flatMap((flag) => flag.names)
  const files = values === 'files' ? ' files=1' : ''
  return `    ${quoted(path)}) candidates=${quoted(candidates.join(' '))} flags=${quoted(names.join(' '))}${files} ;;`
}

/** Works evaluated, or as a file in `fpath`. */
export const zshScript = (places: readonly Place[]): string => `#compdef payments-sandbox
# Completion of payments-sandbox for zsh.
_payments_sandbox() {
  local at='' i
  local -a candidates flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at|$words[i]" in
      (${patterns(stepsOf(places))}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at|$words[CURRENT-1]" in
${valueCases(places, '(', zshOffered)}
  esac
  case "$at" in
${places.map(zshPlace).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe flag flags
  else
    _describe word candidates
  fi
}
if [[ "$funcstack[1]" == _payments_sandbox ]]; then
  _payments_sandbox "$@"
else
  compdef _payments_sandbox payments-sandbox
fi
`

function zshOffered(values: Values): string {
  if (values === 'anything') return '_message value'
  return values === 'files'
    ? '_files'
    : `candidates=(${values.words.map(quoted).join(' ')}); _describe value candidates`
}

/** Returns a word and its description, which a colon separates. */
const described = (word: string, about: string) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)

function zshPlace({ path, commands, flags, values }: Place): string {
  const words = typeof values === 'object' ? values.words.map(quoted) : []
  const candidates = [...commands.map(({ name, about }) => described(name, about)), ...words]
  const all = flags.flatMap(({ names, about }) => names.map((name) => described(name, about)))
  const files = values === 'files' ? ' [[ $PREFIX == -* ]] || { _files; return };' : ''
  return `    (${quoted(path)})${files} candidates=(${candidates.join(' ')}); flags=(${all.join(' ')}) ;;`
}

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
${places.flatMap(fishPlace).join('\n')}
`

function fishPlace({ path, commands, flags, values }: Place): readonly string[] {
  const at = `complete -c payments-sandbox -n ${quoted(`__payments_sandbox_at ${quoted(path).replaceAll("'", '"')}`)}`
  return [
    ...commands.map(({ name, about }) => `${at} -a ${quoted(name)} -d ${quoted(about)}`),
    ...(values === 'files' ? [`${at} -F`] : []),
    ...(typeof values === 'object' ? [`${at} -a ${quoted(values.words.join(' '))}`] : []),
    ...flags.map((flag) => `${at} ${fishFlag(flag)}`),
  ]
}

function fishFlag({ names, about, values }: Flag): string {
  const words = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  return [...words, ...(values ? [fishOffered(values)] : []), `-d ${quoted(about)}`].join(' ')
}

function fishOffered(values: Values): string {
  if (values === 'files') return '-r -F'
  return values === 'anything' ? '-x' : `-x -a ${quoted(values.words.join(' '))}`
}
