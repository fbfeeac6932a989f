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

/** The palette as CSS custom properties for both colour schemes. */
export const tokens = `:root {
  color-scheme: light dark;
${properties({ ...colours, ...fonts, ...radii, ...type })}
}
`
