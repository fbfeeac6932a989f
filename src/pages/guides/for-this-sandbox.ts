import type { Guide } from '../../worlds/guide.ts'

/** The sandbox that serves the guide. */
export interface Here {
  /** Its address for the reader. */
  readonly origin: string
  readonly first: Guide
}

/** The values written in the guides: a default sandbox with the default world. */
const WRITTEN = { origin: 'http://127.0.0.1:8080', team: 63 }

/** Replaces the address and credentials in a text. */
export const asHere = (text: string, { origin, first }: Here): string =>
  credentialsHere(
    text.replaceAll(WRITTEN.origin, () => origin),
    first,
  )

/** Replaces only the credentials. A chosen password is not shown. */
export function credentialsHere(text: string, first: Guide): string {
  const { username, reader } = first
  return text
    .replace(
      /\bdemo(\+[\w.-]+)?:(?:demo\b|\$SANDBOX_API_PASSWORD)/g,
      (_, world: string | undefined) => `${username}${world ?? ''}:${passwordOf(first)}`,
    )
    .replace(/\bdemo(?=\+)/g, () => username)
    .replace(/^demo$/, () => username)
    .replace(/\bviewer:viewer\b/g, () => reader ?? 'viewer:$SANDBOX_VIEWER_PASSWORD')
}

/** Replaces address, credentials and the collecting Team in commands. */
export function commandsHere(text: string, here: Here): string {
  const team = here.first.collector?.id ?? WRITTEN.team
  return asHere(text, here).replace(
    new RegExp(`("(?:account|vendor)_id": ?|\\bteam:)${WRITTEN.team}\\b`, 'g'),
    (_, before: string) => `${before}${team}`,
  )
}

/** Quotes the password for a shell. */
const passwordOf = ({ password, passwordFrom }: Guide) =>
  password ?? (passwordFrom === 'the seed file' ? '$PASSWORD' : `$${passwordFrom}`)

/**
 * Replaces address and credentials in Markdown; fenced code counts as commands.
 * @param links - rewrites the links in prose
 */
export const markdownHere = (markdown: string, here: Here, links: (prose: string) => string): string =>
  markdown
    .split(/^(```[^]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? commandsHere(part, here)
        : asHere(links(part.replace(/^<!--.*?-->\n+/gm, '')), here),
    )
    .join('')

/** Returns the guide that a link such as `go-live.md#verify` targets; undefined for other links. */
export function guideOfLink(href: string): { readonly name: string; readonly anchor: string } | undefined {
  const [, name, anchor = ''] = /^([\w-]+)\.md(#[^\s]*)?$/.exec(href) ?? []
  return name === undefined ? undefined : { name, anchor }
}

/** Makes links to guides absolute, and replaces links to files that are not served with their text. */
export const withWholeLinks = (markdown: string, at: string): string =>
  markdown.replace(/\[([^\][]*)\]\(([^()\s]+)\)/g, (link, text: string, href: string) => {
    const guide = guideOfLink(href)
    if (guide) return `[${text}](${at}${guide.name}.md${guide.anchor})`
    return /^(#|https?:)/.test(href) ? link : text
  })
