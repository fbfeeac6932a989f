/** Longer words get no suggestion. */
const LONGEST = 100
const MOST = 1_000

/**
 * Returns the candidate with the smallest edit distance to `word`, case-insensitive, or undefined if more than half of its letters
 * differ, or both are codes of two letters.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  const sought = word.toLowerCase()
  let best: string | undefined
  let least = Infinity
  let looked = 0
  for (const candidate of candidates) {
    if (++looked > MOST) break
    // The edit distance is at least this.
    const difference = Math.abs(word.length - candidate.length)
    if (difference >= least || difference > candidate.length / 2) continue
    const edits = distance(sought, candidate.toLowerCase())
    // US is not a misspelt UG.
    if (edits > 0 && word.length === 2 && candidate.length === 2) continue
    if (edits < least && edits <= candidate.length / 2) {
      best = candidate
      least = edits
    }
  }
  return best
}

/** Returns ` (did you mean sleep?)` if a known word is similar, otherwise an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = suggest(word, known)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** Like `didYouMean`, but lists all known words if none is similar. */
export const suggestion = (word: string, known: readonly string[]): string =>
  didYouMean(word, known) || (known.length > 0 ? ` (known are ${known.join(', ')})` : '')

/** The Levenshtein distance, computed in a single row. */
function distance(from: string, to: string): number {
  const row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
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
