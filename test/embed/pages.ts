import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a page of the site is made of; the addresses of sandboxes stand for `SANDBOX` and so on. */
export interface SitePage {
  readonly head?: string
  readonly body: string
  /** Of its own, besides what the body has. */
  readonly script?: string
  /** Its Content-Security-Policy. */
  readonly policy?: string
}

/** A site beside the sandbox, whose pages show operations of it in a column of prose. */
export async function startSite(pages: { readonly [path: string]: SitePage }) {
  let sandboxes: { readonly [word: string]: string } = {}
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const page = pages[pathname.replace(/\.js$/, '')]
    if (!page) return response.writeHead(404).end()
    const here = (text: string) => text.replaceAll(/\b(SANDBOX|CLOSED)\b/g, (word) => sandboxes[word] ?? word)
    if (pathname.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript')
      return response.end(here(page.script ?? ''))
    }
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (page.policy) response.setHeader('content-security-policy', here(page.policy))
    return response.end(here(pageOf(pathname, page)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    // Another site than 127.0.0.1 to a browser, although the same machine.
    origin: `http://localhost:${port}`,
    /** Where its pages find the sandboxes, which are started when it is known who may call them. */
    find: (origins: typeof sandboxes) => void (sandboxes = origins),
    close: () => server.close(),
  }
}

const words = '<p>Our shop collects with one request, and hears of the result a moment later.</p>\n'.repeat(3)

const pageOf = (path: string, { head = '', body, script }: SitePage) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<link rel="icon" href="data:," />
<title>Shop handbook</title>
${head}
</head>
<body>
<main>
<h1>Taking a payment</h1>
${words}${body}
<p id="after">The result comes to the callback address a moment later.</p>
</main>
${script === undefined ? '' : `<script src="${path}.js"></script>`}
</body>
</html>`
