import { fonts, palette } from '../lib/palette.ts'
import { escaped } from '../lib/text/escaped.ts'
import type { MailRow } from '../storage/store/rows.ts'

/**
 * Returns the HTML of a mail, with its link as a button and as text. Many mail clients only support tables and inline styles;
 * those with dark mode use the style sheet in the head.
 */
export function mailHtml({ subject, text, link }: Pick<MailRow, 'subject' | 'text' | 'link'>): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((part) => `<p dir="auto" style="margin:0 0 16px">${inline(part, link)}</p>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${dark}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:${light('ground')}">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${light('ground')}">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;background-color:${light('card')};border:1px solid ${light('line')};border-radius:12px">
<tr><td class="text" style="padding:28px 24px 12px;color:${light('text')};${FONT};font-size:16px;line-height:24px;text-align:start;word-break:break-word">
<h1 dir="auto" style="margin:0 0 16px;font-size:20px;line-height:28px">${inline(subject, '')}</h1>
${paragraphs.join('\n')}
${link === '' ? '' : button(link)}
</td></tr>
<tr><td class="quiet" style="padding:0 24px 24px;color:${light('soft')};${FONT};font-size:13px;line-height:20px">This is a sandbox: no money moves.</td></tr>
</table>
</td></tr>
</table>
</body>
</html>`
}

const FONT = `font-family:${fonts.sans}`

// Mail clients do not support custom properties.
const light = (name: keyof typeof palette) => palette[name][0]
const darkOf = (name: keyof typeof palette) => palette[name][1]

const dark = `@media (prefers-color-scheme: dark) {
.ground { background-color: ${darkOf('ground')} !important; }
.card { background-color: ${darkOf('card')} !important; border-color: ${darkOf('line')} !important; }
.text { color: ${darkOf('text')} !important; }
.quiet { color: ${darkOf('soft')} !important; }
.link { color: ${darkOf('link')} !important; }
}`

const button = (link: string) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr><td bgcolor="${light('accent')}" style="border-radius:8px"><a href="${escaped(link)}" style="display:inline-block;padding:11px 22px;color:${light('on-accent')};${FONT};font-weight:600;text-decoration:none">Open</a></td></tr></table>`

/** Escapes text, isolates names of another writing direction, and makes the link clickable. */
function inline(text: string, link: string): string {
  const shown = escaped(link)
  const markup = escaped(text).replace(/\u2068([^\u2069]*)\u2069/g, '<bdi>$1</bdi>')
  const anchor = `<a class="link" href="${shown}" style="color:${light('link')}">${shown}</a>`
  return link === '' ? markup : markup.replaceAll(shown, () => anchor)
}
