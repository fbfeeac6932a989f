/** Places of a search text in a shown text. */

export type Hit = readonly [from: number, to: number]

/**
 * Finds the places that a search marks. A number of at least three digits is also found in a phone number or
 * account that is written in another way, with spaces or a country code.
 */
export function hitsIn(text: string, wanted: string): readonly Hit[] {
  const word = wanted.trim().toLowerCase()
  if (word === '') return []
  const lower = text.toLowerCase()
  const hits: Hit[] = []
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
    hits.push([at, at + word.length])
  return hits.length > 0 ? hits : digitsIn(text, word)
}

function digitsIn(text: string, word: string): readonly Hit[] {
  if (!/^\+?[\d\s()-]+$/.test(word)) return []
  const digits = word.replace(/\D/g, '')
  const places = [...text].flatMap((each, n) => (/\d/.test(each) ? [n] : []))
  const shown = places.map((n) => text[n]).join('')
  // `0712…` is written `+254 712 …`, and the other way round.
  for (const form of [digits, digits.replace(/^0/, ''), digits.replace(/^\d{3}(?=\d{9}$)/, '')]) {
    const at = form.length < 3 ? -1 : shown.indexOf(form)
    if (at >= 0) return [[places[at]!, places[at + form.length - 1]! + 1]]
  }
  return []
}
