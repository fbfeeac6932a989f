/**
 * `npm run docs`: writes the reference of both descriptions and the guides to `dist-docs/`, for static hosting. Requests
 * cannot be sent from these pages; a page that needs that embeds a running sandbox (docs/embedding.md).
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { withGuideFiles, writeGuides } from './docs-guides.ts'
import { browserFile, files } from '../src/lib/files.ts'
import { annotate } from '../src/pages/viewer/description.ts'
import { viewerStyle, withWayToOther } from '../src/pages/viewer/viewer.ts'

const folder = 'dist-docs'
const apis = { service: 'Payments and Teams', control: 'Sandbox control' } as const
/** Samples use a sandbox on the reader's machine. */
const servers = [{ url: 'http://127.0.0.1:8080', description: 'A sandbox on your machine' }]
const sources = Object.entries(apis).map(([slug, title]) => ({ title, slug, url: `${slug}.json` }))

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>API reference · payments-sandbox</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="viewer.css" />
  </head>
  <body>
    <div id="app"></div>
    <script src="start.js" data-settings='${JSON.stringify({ embedded: false, single: false, sources })}'></script>
  </body>
</html>
`

await rm(folder, { recursive: true, force: true })
await mkdir(folder)
await writeFile(`${folder}/index.html`, page)
await writeFile(`${folder}/start.js`, browserFile('viewer.js'))
await writeFile(`${folder}/viewer.css`, viewerStyle())
await cp(files.viewer, `${folder}/scalar.js`)
await cp(new URL('NOTICE.txt', files.viewer), `${folder}/NOTICE.txt`)
for (const api of ['service', 'control'] as const) {
  const description = JSON.parse(await readFile(files.description(api, 'json'), 'utf8'))
  await writeFile(
    `${folder}/${api}.json`,
    withGuideFiles(JSON.stringify(withWayToOther(api, annotate({ ...description, servers }))), 'guides'),
  )
}
await writeGuides(`${folder}/guides`)
console.log(`written to ${folder}/`)
