/**
 * The candidate that `word` was probably meant to be: the one with the fewest letters added, taken out or
 * changed. Undefined when even that one differs in more than half of its letters.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Infinity
  for (const candidate of candidates) {
    const edits = distance(word, candidate)
    if (edits < least && edits <= candidate.length / 2) {
      best = candidate
      least = edits
    }
  }
  return best
}

/** Levenshtein's distance, a row at a time. */
function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(changed, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[to.length]!
}
