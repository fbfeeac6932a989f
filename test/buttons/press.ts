import type { Browser, Request, Response } from 'playwright-core'
import { fillForm, type Found, isQuiet, listAddresses, listPressable, PRESSABLE, watch } from './in-page.ts'
import type { Server, Shown } from './servers.ts'

/** Buttons that end what others need are pressed last, each in the world as it was filled. */
const DESTRUCTIVE =
  /\b(delete|remove|reset|revoke|stop|end|forget|discard|sign out|leave|import|restore|replace|danger)\b/i

/** Closes what holds the others. */
const CLOSES = /"(×|close|cancel|done|back|keep it|no)[^"]*"|popover-close/i

/** Addresses that differ by a thing alone, such as a payment, show one kind of page: at most this many are opened, for other states. */
const PER_SHAPE = 3

/** Milliseconds that a press may take to have an effect, and its requests to end, on a machine that does much else too. */
const PATIENCE = 8_000

/** Statuses to which no press may lead, whatever the form contains; the page has to show the others. */
const isNever = (status: number) => [403, 405, 406, 411, 415].includes(status) || status >= 500

/** Which share of the buttons may be there once only, as those of a key that was revoked for good. */
const MOST_MISSED = 0.03

/** Milliseconds that a page may take to be quiet: a clock that runs fast never is. */
const RESTLESS = 1_000

/** How a button is reached again. */
interface Way {
  readonly path: string
  /** The presses that brought it about, in the page as it opens. */
  readonly before: readonly string[]
  /** All presses since the page opened, for a button that needs more of them. */
  readonly history: readonly string[]
}

/** Opens every page that the links of others lead to, and presses every button. @returns what went wrong */
export async function pressAll(browser: Browser, server: Server, only: string) {
  const { origin, mode } = server
  const faults: string[] = []
  /** Buttons that were seen once, and are not there when their page is opened anew. */
  const missed: string[] = []
  const pressed = new Set<string>()
  const ways = new Map<string, Way>()
  const shapes = new Map<string, Set<string>>()
  const waiting: string[] = []
  const known = new Set<string>()
  let shown: Shown = await server.fill()
  let isChanged = false
  let destroys = false
  let loads = 0
  let shared = 0
  /** What was pressed since the page opened. */
  let history: string[] = []

  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  await context.addInitScript({ content: watch })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE * 5)
  const complaints: string[] = []
  const open = new Set<Request>()
  let requests = 0
  const refusals: Response[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => void dialog.accept())
  page.on('download', () => requests++)
  page.on('filechooser', () => requests++)
  page.on('request', (request) => {
    requests += 1
    if (/^https?:/.test(request.url())) open.add(request)
    if (request.method() !== 'GET') isChanged = true
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('response', (response) => {
    if (response.headers()['content-type']?.includes('text/event-stream')) open.delete(response.request())
    if (response.status() >= 400) refusals.push(response)
  })
  // Payers are led to shops, which are nowhere.
  await context.route(
    (url) => url.origin !== origin,
    (route) =>
      route.request().isNavigationRequest()
        ? route.fulfill({ contentType: 'text/html', body: '<title>elsewhere</title>' })
        : (complaints.push(`asks elsewhere: ${route.request().url()}`), route.abort()),
  )

  add('/')
  add('/dashboard#/nobody/live')
  for (const id of server.pages) add(`/dashboard#/{world}/${id}`)
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await pressPage(path)
  destroys = true
  // Those go last that end the world, and all that has an address in it.
  const endsWorlds = (path: string) => Number(/\/(worlds|process)\b/.test(path))
  const paths = [...new Set([...ways.values()].map((way) => way.path))]
  for (const path of paths.toSorted((a, b) => endsWorlds(a) - endsWorlds(b)))
    if (path.includes(only)) await pressRest(path)
  if (only === '' && shared === 0) fault('the dashboard', 'no link was shared')
  await context.close()
  const pages = [...shapes.values()].reduce((sum, { size }) => sum + size, 0)
  if (missed.length > pressed.size * MOST_MISSED) faults.push(...missed)
  return { pages, pressed: pressed.size - missed.length, missed, faults }

  /** The address without what is of this world or of a visitor. */
  function pathOf(address: string): string {
    const { pathname, search, hash } = new URL(address)
    const fragment = pathname === '/dashboard' ? hash.replace(/\?k=[^&]*&?/, '?').replace(/[/?]+$/, '') : ''
    return decodeURIComponent(pathname + search + fragment).replaceAll(shown.id, '{world}')
  }

  function addressOf(path: string): string {
    const [, hash] = path.split('#/{world}/')
    if (path.startsWith('/dashboard#') && hash !== undefined) return shown.dashboard(hash)
    return origin + path.replaceAll('{world}', encodeURIComponent(shown.id))
  }

  /** A kind of page: things that have an id or a number are alike. */
  function shapeOf(path: string): string {
    const [before = '', query = ''] = path.split('?')
    const [app = '', hash = ''] = before.split('#')
    const kind = (text: string, from: number) =>
      text
        .split('/')
        .map((each, at) => (at >= from || /\d|[{]/.test(each) ? '*' : each))
        .join('/')
    const names = [...new URLSearchParams(query).keys()].join('&')
    return `${kind(app, 9)}${hash && `#${kind(hash, 3)}`}${names && `?${names}`}`
  }

  function add(path: string): void {
    const shape = shapeOf(path)
    const alike = shapes.get(shape) ?? new Set()
    shapes.set(shape, alike)
    if (alike.has(path) || alike.size >= PER_SHAPE) return
    alike.add(path)
    waiting.push(path)
  }

  function fault(where: string, what: string): void {
    faults.push(`${mode}: ${where}: ${what}`)
  }

  async function load(path: string): Promise<void> {
    loads += 1
    history = []
    if (isChanged || destroys) {
      // Whoever deleted the world has another.
      await shown.restore().catch(async () => void (shown = await server.fill()))
      isChanged = false
    }
    // What a page keeps in the browser is not to decide about the next one.
    await page.evaluate('localStorage.clear(), sessionStorage.clear()').catch(() => {})
    await page.goto('about:blank')
    complaints.length = refusals.length = 0
    open.clear()
    await page.goto(addressOf(path))
    await untilQuiet()
    await judge(`${path} opens`)
  }

  async function untilQuiet(): Promise<void> {
    const end = performance.now() + RESTLESS
    while (performance.now() < end || open.size > 0) {
      if (performance.now() > end + PATIENCE)
        return fault(page.url(), `waits for ${[...open].map((each) => each.url()).join(', ')}`)
      if (open.size === 0 && (await page.evaluate<boolean>(isQuiet).catch(() => false))) return
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
  }

  /** What the browser complains of, and refusals that the page does not show. */
  async function judge(where: string): Promise<void> {
    for (const each of complaints.splice(0)) fault(where, each)
    for (const response of refusals.splice(0)) {
      const { status, text } = { status: response.status(), text: await response.text().catch(() => '') }
      const what = `${response.request().method()} ${pathOf(response.url())} returned ${status} ${text.slice(0, 200)}`
      if (isNever(status)) fault(where, what)
      else if (!text.startsWith('<')) {
        const message = /"error_message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text
        const words = JSON.parse(`"${message}"`).replace(/\W+/g, ' ').slice(1, 60) as string
        const body = (await page.evaluate<string>('document.body.innerText')).replace(/\W+/g, ' ')
        // The dashboard asks so whether the world that it shows was deleted.
        if (status === 404 && destroys && what.startsWith('GET /sandbox/worlds/{world} ')) continue
        const asksToSignIn = status === 401 && (await page.$('input[type="password"]')) !== null
        if (!body.includes(words) && !asksToSignIn) fault(where, `does not show: ${what}`)
      }
    }
  }

  /** What can be pressed now. @param before what was pressed since the page opened */
  async function look(path: string, before: readonly string[]): Promise<readonly Found[]> {
    const found = await page.evaluate<Found[]>(listPressable)
    const app = path.split(/[#/]/)[1]
    // A dialog that the frame opened is the same on every page.
    const ofFrame = before.some((key) => key.startsWith(`${app} `))
    const scoped = found.map((each) => ({
      ...each,
      key: `${each.isFrame || (each.inDialog && ofFrame) ? app : shapeOf(path)} ${each.key}`,
    }))
    for (const { key } of scoped) if (!ways.has(key)) ways.set(key, { path, before, history: [...history] })
    for (const address of await page.evaluate<string[]>('globalThis.pressed.copied.splice(0)'))
      if (/^\/dashboard#.*[?&]k=/.test(address.slice(origin.length))) await openShared(address)
    // What was made here is gone when the next page opens.
    if (isChanged) return scoped
    const { links, texts } = await page.evaluate<{ links: string[]; texts: string[] }>(listAddresses)
    for (const address of new Set([...links, ...texts]))
      await crawl(address, links.includes(address) ? path : '')
    return scoped
  }

  /** Adds the page of an address, if it is one. @param from the page that links to it, if one does */
  async function crawl(address: string, from: string): Promise<void> {
    if (!address.startsWith(`${origin}/`) || !URL.canParse(address)) return
    const path = pathOf(address)
    if (known.has(path)) return
    known.add(path)
    if (path.startsWith('/dashboard#')) return path.startsWith('/dashboard#/{world}/') ? add(path) : undefined
    const response = await fetch(new URL(address), { headers: { accept: 'text/html' }, redirect: 'manual' })
    await response.body?.cancel()
    if (response.status >= 400 && from) fault(from, `links to ${path}, which returns ${response.status}`)
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html')) add(path)
  }

  /** Opens a link that lets in whoever has it, as somebody else would. */
  async function openShared(address: string): Promise<void> {
    const other = await context.newPage()
    const where = `a shared link, ${pathOf(address)}`
    other.on('console', (message) => message.type() === 'error' && fault(where, message.text()))
    other.on('pageerror', (error) => fault(where, String(error)))
    await other.goto(address)
    await other
      .getByRole('heading', { level: 1 })
      .first()
      .waitFor()
      .catch(() => fault(where, 'shows no page'))
    if (await other.$('input[type="password"]')) fault(where, 'asks to sign in')
    await other.close()
    shared += 1
  }

  async function pressPage(path: string): Promise<void> {
    await load(path)
    if (pathOf(page.url()) !== path) return crawl(page.url(), '')
    if (!path.includes(only)) return void (await look(path, []))
    await pressShown(path, [])
    await pressRest(path)
  }

  /** Presses what was seen on a page, and is no longer there, in a page that is opened anew. */
  async function pressRest(path: string): Promise<void> {
    const tried = new Set<string>()
    for (;;) {
      const [key, way] =
        [...ways].find(([each, { path: of }]) => of === path && isNext(each) && !tried.has(each)) ?? []
      if (!key || !way) return
      tried.add(key)
      if (!(await follow(path, way.before, key)) && !(await follow(path, way.history, key))) {
        pressed.add(key)
        missed.push(`${mode}: ${path}: ${key}, after ${way.history.join(', ')}`)
      }
      if (shapeOf(pathOf(page.url())) === shapeOf(path)) await pressShown(path, [...way.before, key])
    }
  }

  /** Opens a page and presses one after another. @returns whether all of them were there */
  async function follow(path: string, before: readonly string[], key: string): Promise<boolean> {
    await load(path)
    for (const [n, each] of [...before, key].entries()) {
      const end = performance.now() + RESTLESS
      let next: Found | undefined
      do next = (await look(path, before.slice(0, n))).find((found) => found.key === each)
      while (!next && performance.now() < end)
      if (!next) return false
      await press(path, next)
    }
    return true
  }

  function isNext(key: string): boolean {
    return !pressed.has(key) && (destroys || !DESTRUCTIVE.test(key))
  }

  /** Presses one after another, those first that a press brought about. */
  async function pressShown(path: string, before: readonly string[]): Promise<void> {
    let way = before
    for (;;) {
      const found = (await look(path, way)).filter(({ key }) => isNext(key))
      const next =
        found.find(({ key, inDialog }) => inDialog && !CLOSES.test(key)) ??
        found.find(({ key }) => !CLOSES.test(key)) ??
        found[0]
      if (!next) return
      way = [...ways.get(next.key)!.before, next.key]
      await press(path, next)
      if (pathOf(page.url()) === path) continue
      if (page.url().startsWith(origin)) await crawl(page.url(), '')
      await load(path)
      way = []
    }
  }

  async function press(path: string, { key, nth, isChosen }: Found): Promise<void> {
    pressed.add(key)
    history.push(key)
    const before = { requests: 0, url: page.url(), effects: 0 }
    const click = async () => {
      const selector = JSON.stringify(PRESSABLE)
      const handle = await page.evaluateHandle(`document.querySelectorAll(${selector})[${nth}]`)
      const element = handle.asElement()!
      await page.evaluate(fillForm(nth, shown.fields))
      await element.hover({ timeout: PATIENCE })
      before.effects = await page.evaluate<number>('globalThis.pressed.effects')
      before.requests = requests
      await element.click({ timeout: PATIENCE })
    }
    try {
      // A page that has just been rendered again has other elements: a person would press the new one.
      await click().catch(() => untilQuiet().then(click))
    } catch (error) {
      return fault(path, `${key} cannot be pressed: ${String(error).split('\n')[0]}`)
    }
    const hasEffect = async () =>
      requests > before.requests ||
      page.url() !== before.url ||
      (await page.evaluate<number>('globalThis.pressed.effects').catch(() => Infinity)) > before.effects
    if (!isChosen && !(await within(PATIENCE, hasEffect))) fault(path, `${key} does nothing`)
    await untilQuiet()
    await judge(`${path}: ${key}`)
  }
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}
