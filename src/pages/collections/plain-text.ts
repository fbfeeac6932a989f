/** Words that are the sandbox's own business. */
const OWN = /sandbox|\bPrefer\b|\bscenario|\/docs\b|\blenient\b|x-lenient/i

/** A sentence, with the blanks after it. What stands in ticks, such as `a.b`, does not end one. */
const SENTENCE = /(?:`[^`]*`|[^.!?`]|[.!?](?!\s|$))+(?:[.!?]+|$)\s*/g

const HEADING = '###'

/**
 * A text of the description without what the sandbox says of itself: whole sentences go, and whole points of a list; of a
 * table its rows.
 */
export function plainText(text: string): string {
  if (!OWN.test(text)) return text
  const sections = text
    .split(/\n(?=### )/)
    .map((section) => section.split(/\n\n+/).map(plainBlock).filter(Boolean))
  // A heading that nothing is left below goes, too.
  const left = sections.filter((blocks) => blocks.length > 1 || !(blocks[0] ?? HEADING).startsWith(HEADING))
  return left.map((blocks) => blocks.join('\n\n')).join('\n\n')
}

function plainBlock(block: string): string {
  if (block.startsWith(HEADING)) return block
  const points = block.split(/\n(?=[-|] ?)/)
  if (/^[-|]/.test(block)) return points.filter((point) => !OWN.test(point)).join('\n')
  return (block.match(SENTENCE) ?? [])
    .filter((sentence) => !OWN.test(sentence))
    .join('')
    .trim()
}

export const isOwn = (text: string): boolean => OWN.test(text)
