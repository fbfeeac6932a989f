/** What a Team gives its payment pages: colour and logo (specification 2.1). */
import { onBright, onDark } from '../../lib/palette.ts'
import type { TeamRow } from '../../storage/store/rows.ts'

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** The Team's colour on buttons, with text on it that can be read; nothing when it has none. */
export function brandStyle(team: TeamRow | undefined): string {
  const colour = team?.theme_color ?? ''
  if (!HEX.test(colour)) return ''
  const text = luminance(colour) > 0.179 ? onBright : onDark
  return `:root { --accent: ${colour}; }
main { border-top: 0.4rem solid var(--accent); }
button:not(.plain), .button { border-color: var(--line); color: ${text}; }
:focus-visible { outline-color: var(--text); }
`
}

/** How bright a colour is, 0 to 1; at 0.179 black and white stand out alike (WCAG 2, relative luminance). */
function luminance(colour: string): number {
  const digits = colour.slice(1)
  const wide = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const value = parseInt(wide.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** The address of the Team's logo; undefined when it has none that a page can show. */
export function logoOf(team: TeamRow | undefined): URL | undefined {
  const url = team?.logo ? URL.parse(team.logo) : null
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
