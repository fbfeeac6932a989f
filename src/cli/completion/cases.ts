import type { Flag, Place, Values } from './places.ts'

/** The words that lead on to a command, as `clock|advance`: where one is, and what is said there. */
export const stepsOf = (places: readonly Place[]): readonly string[] =>
  places.flatMap(({ path, commands }) => commands.filter(notHelp).map(({ name }) => `${path}|${name}`))

const notHelp = ({ name }: { readonly name: string }) => name !== 'help'

/** The flags of a place that something follows. */
export const taking = ({ flags }: Place): readonly (Flag & { readonly values: Values })[] =>
  flags.flatMap((flag) => (flag.values ? [{ ...flag, values: flag.values }] : []))

/** As every shell takes it between single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Patterns of a `case`, each as it is. */
export const patterns = (texts: readonly string[]): string => texts.map(quoted).join(' | ')
