import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Puts text in a style, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string

export const painter =
  (colours: boolean): Paint =>
  (style, text) =>
    colours ? styleText(style, text, { validateStream: false }) : text
