/** Scripts that are written from right to left, and characters that turn the direction of what follows. */
const TURNS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * A name for a sentence of plain text. One that could turn the direction of the words behind it is set apart from them; pages
 * do so with `<bdi>`.
 */
export const isolated = (name: string): string =>
  TURNS.test(name) ? `\u2068${name.replace(/[\u2066-\u2069]/g, '')}\u2069` : name
