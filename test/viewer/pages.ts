import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

/** A sandbox on a free port whose callbacks go nowhere. */
export async function startSandbox(env: Record<string, string> = {}) {
  const sandbox = await createSandbox({
    config: readConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...env }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
    send: async () => ({ status: 200, error: '' }),
  })
  const { port } = await sandbox.listen()
  return { origin: `http://127.0.0.1:${port}`, close: () => sandbox.close() }
}

const article = (sandbox: string, operation: string) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <link rel="icon" href="data:," />
  <title>Shop handbook</title>
  <style>
    :root { --back: #fff; --text: #222; }
    :root[data-theme='dark'] { --back: #14181d; --text: #e8eaed; }
    body { margin: 0 auto; max-width: 70rem; padding: 2rem 1rem; font: 17px/1.6 Georgia, serif; background: var(--back); color: var(--text); }
  </style>
  <main>
    <h1>Taking a payment</h1>
    <p>Our shop collects with one request. Try it here, against the sandbox.</p>
    <script src="${sandbox}/docs/embed.js"${operation ? ` data-operation="${operation}"` : ''}></script>
    <p id="after">The result comes to the callback address a moment later.</p>
  </main>
</html>`

/** Pages of another site, which embed the documentation: /?operation=createCollection, or all of it. */
export async function startDocsSite(sandbox: string) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site')
    if (pathname !== '/') return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return response.end(article(sandbox, searchParams.get('operation') ?? ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  // Another site than 127.0.0.1 to a browser, although the same machine.
  return { origin: `http://localhost:${port}`, close: () => server.close() }
}

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
}

/** A host of static pages that serves `folder` below a path, as those of projects are. */
export async function startStaticSite(folder: string) {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').replace(/^\/project\//, '') || 'index.html'
    readFile(join(folder, name)).then(
      (bytes) => response.setHeader('content-type', types[extname(name)] ?? 'text/plain').end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}
