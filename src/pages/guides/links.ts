/** The guide that a link of a guide leads to, as `callbacks.md#verify` has it; undefined for any other link. */
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
