/** Requests as terminal commands. */

/** Quotes a word for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** @param user - a username, with the password if it is public; otherwise curl prompts for it */
export const curlBy = (
  url: string,
  user: string,
  body: object,
  headers: { readonly [name: string]: string } = {},
): string =>
  [
    `curl -u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)} ${url}`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ')
