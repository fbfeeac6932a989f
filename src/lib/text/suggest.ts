/** Longer words get no suggestion. */
const LONGEST = 100
const MOST = 1_000

/** Words with the same meaning, which suggest each other. Words with opposite meanings never do: `payout` resembles `payment`. */
const MEANINGS = [
  /^(payments?|pay-?ins?|collect(ion)?s?|charges?|c2b)$/,
  /^(withdraw(al)?s?|pay-?outs?|disburse(ment)?s?|b2c)$/,
]

const meaningOf = (word: string) => MEANINGS.find((words) => words.test(word.replaceAll('_', '-')))

/**
 * Returns the candidate with the smallest edit distance to `word`, case-insensitive. Candidates differ in at most half
 * of their letters or have the same meaning; codes of two letters get no suggestion.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  const sought = word.toLowerCase()
  const meaning = meaningOf(sought)
  let best: string | undefined
  let least = Infinity
  let looked = 0
  for (const candidate of candidates) {
    if (++looked > MOST) break
    const other = meaning && meaningOf(candidate.toLowerCase())
    if (other && other !== meaning) continue
    const most = other ? Infinity : candidate.length / 2
    // The edit distance is at least this.
    const difference = Math.abs(word.length - candidate.length)
    if (difference >= least || difference > most) continue
    const edits = distance(sought, candidate.toLowerCase())
    // US is not a misspelt UG.
    if (edits > 0 && word.length === 2 && candidate.length === 2) continue
    if (edits < least && edits <= most) {
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
