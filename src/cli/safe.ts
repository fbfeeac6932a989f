/** What steers a terminal, or turns the order of letters around: all but colours, tabs and line feeds. */
const steering =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\u001b(?!\[\d+m)/g

/** A text of others as a terminal may show it: it could else move the cursor or pass for something that it is not. */
export const safe = (text: string): string =>
  text.replace(steering, (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`)
