import { palette } from '../../lib/palette.ts'
import { escaped } from '../../lib/text/escaped.ts'

/** The average width of a character of 11 px Verdana. */
const WIDTH = 6.6
const widthOf = (text: string) => Math.round([...text].length * WIDTH) + 14

/** Renders a badge with two parts. `soft` is grey. */
export function badgeSvg(left: string, right: string, tone: 'good' | 'wait' | 'bad' | 'soft'): string {
  const [a, b] = [widthOf(left), widthOf(right)]
  const label = escaped(`${left}: ${right}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${label}">
  <title>${label}</title>
  <clipPath id="r"><rect width="${a + b}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="${a}" height="20" fill="${palette.text[0]}"/>
    <rect x="${a}" width="${b}" height="20" fill="${palette[tone][0]}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana, Geneva, DejaVu Sans, sans-serif" font-size="11">
    <text x="${a / 2}" y="14" textLength="${a - 14}" lengthAdjust="spacingAndGlyphs">${escaped(left)}</text>
    <text x="${a + b / 2}" y="14" textLength="${b - 14}" lengthAdjust="spacingAndGlyphs">${escaped(right)}</text>
  </g>
</svg>
`
}
