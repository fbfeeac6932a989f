/** No word that somebody meant is longer. */
const LONGEST = 100
/** How many words are looked at. */
const MOST = 1_000

/**
 * The candidate that `word` was probably meant to be: the one with the fewest letters added, taken out or
 * changed, capitals or not. Undefined when even that one differs in more than half of its letters, or is another code of two.
 * @param candidates of which the first thousand count
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  const sought = word.toLowerCase()
  let best: string | undefined
  let least = Infinity
  let looked = 0
  for (const candidate of candidates) {
    if (++looked > MOST) break
    // So many letters at least are added or taken out.
    const difference = Math.abs(word.length - candidate.length)
    if (difference >= least || difference > candidate.length / 2) continue
    const edits = distance(sought, candidate.toLowerCase())
    // US is no misspelt UG.
    if (edits > 0 && word.length === 2 && candidate.length === 2) continue
    if (edits < least && edits <= candidate.length / 2) {
      best = candidate
      least = edits
    }
  }
  return best
}

/** ` (did you mean sleep?)` when one of the words is near; else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = suggest(word, known)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** The same, with all of the words when none is near. */
export const suggestion = (word: string, known: readonly string[]): string =>
  didYouMean(word, known) || (known.length > 0 ? ` (known are ${known.join(', ')})` : '')

/** Levenshtein's distance, in one row that is written over. */
function distance(from: string, to: string): number {
  const row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    /** What stood left of here and above that. */
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= to.length; j++) {
      const above = row[j]!
      const changed = diagonal + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(changed, above + 1, row[j - 1]! + 1)
      diagonal = above
    }
  }
  return row[to.length]!
}
