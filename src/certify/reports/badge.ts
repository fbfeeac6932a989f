import { palette } from '../../lib/palette.ts'
import type { Certification } from '../certification.ts'
import { mandatoryOf, type Standing, standing } from './words.ts'
import { escaped } from './xml.ts'

const colours = {
  Ready: palette.good[0],
  'Not ready': palette.bad[0],
  'Ready so far': palette.wait[0],
  'Not decided': palette.wait[0],
} as const satisfies Record<Standing, string>

/** About so wide is a character of 11 px Verdana. */
const WIDTH = 6.6
const widthOf = (text: string) => Math.round([...text].length * WIDTH) + 14

/** A badge for a README: whether it is ready, and how many mandatory checks passed. */
export function badgeReport(certification: Certification): string {
  const { passed, of } = mandatoryOf(certification)
  const stand = standing(certification)
  const left = 'payments certified'
  const right = `${stand.toLowerCase()} · ${passed} of ${of}`
  const [a, b] = [widthOf(left), widthOf(right)]
  const label = escaped(`${left}: ${right}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${label}">
  <title>${label}</title>
  <clipPath id="r"><rect width="${a + b}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="${a}" height="20" fill="${palette.text[0]}"/>
    <rect x="${a}" width="${b}" height="20" fill="${colours[stand]}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana, Geneva, DejaVu Sans, sans-serif" font-size="11">
    <text x="${a / 2}" y="14" textLength="${a - 14}" lengthAdjust="spacingAndGlyphs">${escaped(left)}</text>
    <text x="${a + b / 2}" y="14" textLength="${b - 14}" lengthAdjust="spacingAndGlyphs">${escaped(right)}</text>
  </g>
</svg>
`
}
