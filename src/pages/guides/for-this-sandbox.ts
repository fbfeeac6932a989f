import type { Guide } from '../../worlds/guide.ts'

/** The sandbox that a guide is read at. */
export interface Here {
  /** Where the reader reached it. */
  readonly origin: string
  readonly first: Guide
}

/** What the guides are written with: a sandbox with no setting, and its default world. */
const WRITTEN = { origin: 'http://127.0.0.1:8080', team: 63 }

/** Prose or code of a guide with this sandbox's own address and credentials. */
export const asHere = (text: string, { origin, first }: Here): string =>
  credentialsHere(
    text.replaceAll(WRITTEN.origin, () => origin),
    first,
  )

/** The same with its credentials alone. A password that somebody chose is not shown. */
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

/** Lines to be typed, with the Team here that takes a collection too. */
export function commandsHere(text: string, here: Here): string {
  const team = here.first.collector?.id ?? WRITTEN.team
  return asHere(text, here).replace(
    new RegExp(`("(?:account|vendor)_id": ?|\\bteam:)${WRITTEN.team}\\b`, 'g'),
    (_, before: string) => `${before}${team}`,
  )
}

/** As a shell takes it. */
const passwordOf = ({ password, passwordFrom }: Guide) =>
  password ?? (passwordFrom === 'the seed file' ? '$PASSWORD' : `$${passwordFrom}`)

/**
 * Markdown with this sandbox's own address and credentials. Code is told from prose by its fences.
 * @param links makes the links of prose lead somewhere
 */
export const markdownHere = (markdown: string, here: Here, links: (prose: string) => string): string =>
  markdown
    .split(/^(```[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? commandsHere(part, here) : asHere(links(part), here)))
    .join('')

/** The guide that a link of a guide leads to, as `go-live.md#verify` has it; undefined for any other link. */
export function guideOfLink(href: string): { readonly name: string; readonly anchor: string } | undefined {
  const [, name, anchor = ''] = /^([\w-]+)\.md(#[^\s]*)?$/.exec(href) ?? []
  return name === undefined ? undefined : { name, anchor }
}

/**
 * Markdown whose links to guides are whole addresses, so that it can be read anywhere; of a link to a file that is not
 * served its text is left.
 */
export const withWholeLinks = (markdown: string, at: string): string =>
  markdown.replace(/\[([^\][]*)\]\(([^()\s]+)\)/g, (link, text: string, href: string) => {
    const guide = guideOfLink(href)
    if (guide) return `[${text}](${at}${guide.name}.md${guide.anchor})`
    return /^(#|https?:)/.test(href) ? link : text
  })
