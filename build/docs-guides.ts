import { cp, mkdir, writeFile } from 'node:fs/promises'
import { html, raw } from 'hono/html'
import { files } from '../src/lib/files.ts'
import { groupsOf, LIST, readGuide } from '../src/pages/guides/catalogue.ts'
import { render } from '../src/pages/guides/render.ts'
import { guideSheet, type Places } from '../src/pages/guides/sheet.ts'
import { defaultSeed } from '../src/worlds/default-seed.ts'
import { guideOf } from '../src/worlds/guide.ts'

const FILE = 'index'
const fileOf = (name: string) => (name === LIST ? FILE : name)

/** All guides are in one folder; the reference is in its parent. */
const places: Places = {
  guide: (name) => `${fileOf(name)}.html`,
  markdown: (name) => `${name}.md`,
  home: '../index.html',
  reference: '../index.html',
}

/** Writes the guides as HTML and Markdown for a sandbox on the reader's machine. Creates `folder`. */
export async function writeGuides(folder: string): Promise<void> {
  await mkdir(folder)
  const here = {
    origin: 'http://127.0.0.1:8080',
    first: guideOf(defaultSeed('demo', 'demo'), 'SANDBOX_API_PASSWORD'),
  }
  const groups = groupsOf(await readGuide(LIST))
  for (const name of [LIST, ...groups.flatMap(({ guides }) => guides.map((each) => each.name))]) {
    const rendered = render(await readGuide(name), here, places.guide)
    const {
      title,
      style,
      before,
      body,
      after,
      script = '',
    } = guideSheet({ name, groups, rendered, places, above: '' })
    const page = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
          <link rel="icon" href="data:," />
          ${raw(`<style>${style}</style>`)}
        </head>
        <body>
          ${before}
          <main>${body}</main>
          ${after} ${raw(script && `<script>${script}</script>`)}
        </body>
      </html>`
    await writeFile(`${folder}/${places.guide(name)}`, String(await page))
    await cp(new URL(`${name}.md`, files.guides), `${folder}/${places.markdown(name)}`)
  }
}

/** Returns the description with its links to guides pointing at these files. */
export const withGuideFiles = (json: string, folder: string): string =>
  json
    .replaceAll('](/docs/guides)', `](${folder}/${FILE}.html)`)
    .replace(/\]\(\/docs\/guides\/([\w-]+)/g, `](${folder}/$1.html`)
