/** What a Team gives its payment pages: colour and logo (specification 2.1). */
import type { TeamRow } from '../../store/rows.ts'

/** Rules of the page beside those of every card. */
export const checkoutStyle = `
.logo { display: block; max-width: 10rem; max-height: 3rem; margin: 0 0 0.75rem; }
.note { margin: 0 0 1.25rem; white-space: pre-line; }
.waits { margin: 0.75rem 0 0; font-size: 0.875rem; color: var(--quiet); }
.outcome { padding: 0.75rem 1rem; border: 1px solid; border-inline-start-width: 0.4rem; border-radius: 0.6rem; font-weight: 400; }
.outcome strong::before { display: inline-block; width: 1.5em; }
.good { border-color: light-dark(#0a6e4f, #4fd1a1); } .good strong { color: light-dark(#0a6e4f, #4fd1a1); } .good strong::before { content: '✓'; }
.bad { border-color: light-dark(#a3231f, #ff9d94); } .bad strong { color: light-dark(#a3231f, #ff9d94); } .bad strong::before { content: '✕'; }
.off { border-color: light-dark(#56635d, #9aa8a1); } .off strong::before { content: '–'; }
`

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** The Team's colour on buttons, with text on it that can be read; nothing when it has none. */
export function brandStyle(team: TeamRow | undefined): string {
  const colour = team?.theme_color ?? ''
  if (!HEX.test(colour)) return ''
  const text = luminance(colour) > 0.179 ? '#000' : '#fff'
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
