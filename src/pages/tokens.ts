import { fonts, palette, radii, type } from '../lib/palette.ts'

const properties = (values: { readonly [name: string]: string }) =>
  Object.entries(values)
    .map(([name, value]) => `  --${name}: ${value};`)
    .join('\n')

const colours = Object.fromEntries(
  Object.entries(palette).map(([name, [light, dark]]) => [
    name,
    light === dark ? light : `light-dark(${light}, ${dark})`,
  ]),
)

/** The palette as custom properties of CSS, which follow the scheme of the system. */
export const tokens = `:root {
  color-scheme: light dark;
${properties({ ...colours, ...fonts, ...radii, ...type })}
}
`

/** The looks of pages that are read: palette, type, code. A page adds what it alone has. */
export const sheetStyle = `${tokens}:root { font: 16px/1.55 var(--sans); }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; background: var(--back); color: var(--text); }
main { width: min(24rem, 90vw); }
h1 { font-size: 2.25rem; margin: 0; letter-spacing: -0.02em; }
a { color: var(--link); text-underline-offset: 0.2em; }
code, pre { font: var(--small)/1.6 var(--mono); }
pre { margin: 0.75rem 0; padding: 1rem 1.2rem; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round-l); background: var(--tint); }
pre code { font-size: 0.8125rem; }
button, a.button { display: inline-block; font: inherit; padding: 0.6rem 1.4rem; border-radius: var(--round); border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; }
button:hover, a.button:hover { background: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:is(button, a.button).quiet { background: transparent; color: inherit; border-color: var(--field); }
:is(button, a.button).quiet:hover { background: var(--hover); }
p.quiet { color: var(--soft); font-size: 0.875rem; }
`
