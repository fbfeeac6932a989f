import type { Browser, Request, Response } from 'playwright-core'
import { type Found, inPage, type Sight } from './in-page.ts'
import type { Mode, Server, Shown } from './servers.ts'

/** Buttons that end what others need are pressed last, each in the world as it was filled. */
const DESTRUCTIVE =
  /\b(delete|remove|reset|revoke|stop|end|forget|discard|sign out|leave|import|restore|replace|danger)\b/i

/** Closes what holds the others. */
const CLOSES = /"(×|close|cancel|done|back|keep it|no)[^"]*"|popover-close/i

/** Addresses that differ by a thing alone, such as a payment, show one kind of page: at most this many are opened, for other states. */
const PER_SHAPE = 3

/** Milliseconds after which a request or a page hangs, on a machine that does much else too. */
const PATIENCE = 120_000

/** How often a page is looked at until it shows something; each time it comes to rest first. */
const LOOKS = 60

/** Statuses to which no press may lead, whatever the form contains; the page has to show the others. */
const isNever = (status: number) => [403, 405, 406, 411, 415].includes(status) || status >= 500

/** Which share of the buttons may be there once only, as those of a key that was revoked for good. */
const MOST_MISSED = 0.03

/** A button with its key within all pages, and its name within its page. */
type Scoped = Found & { readonly name: string }

/** What is the same in all modes, so that one of them presses it. */
export interface Shared {
  /** Buttons of the dashboard, which is one script, that sent nothing and led to no other button. */
  readonly harmless: Set<string>
  /** Guides, with the mode that came first. */
  readonly guides: Map<string, Mode>
}

/** How a button is reached again. */
interface Way {
  readonly path: string
  /** The presses that brought it about, in the page as it opens. */
  readonly before: readonly string[]
  /** All presses since the page opened, for a button that needs more of them. */
  readonly history: readonly string[]
}

/** Something that went wrong, and the shape of the page that it went wrong on. */
export interface Fault {
  readonly shape: string
  readonly text: string
}

/** Whether the buttons of a page are pressed, by its address and by its shape. */
export type IsMeant = (path: string, shape: string) => boolean

/**
 * Opens every page that the links of others lead to, and presses every button.
 * @param shared - what one mode presses for all
 * @returns what went wrong
 */
export async function pressAll(browser: Browser, server: Server, isMeant: IsMeant, shared: Shared) {
  const { origin, mode } = server
  const { harmless, guides } = shared
  const faults: Fault[] = []
  /** The first page, on which a view is shared. */
  const home = `/dashboard#/{world}/${server.pages[0]}`
  /** The page that is looked at. */
  let current = home
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
  let links = 0
  let loads = 0
  let hops = 0
  let isPressed = true
  /** Texts that the page put into the clipboard, until they are looked at. */
  const copied: string[] = []
  let sight: Sight = { found: [], hasEffect: false, copied: [], links: [], texts: [] }
  /** The last press, if it sent nothing, and how many buttons were known before. */
  let quiet: { readonly key: string; readonly known: number } | undefined
  /** What was pressed since the page opened. */
  let history: string[] = []

  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  await context.addInitScript({ content: inPage })
  const page = await context.newPage()
  context.setDefaultTimeout(PATIENCE)
  const complaints: string[] = []
  const open = new Set<Request>()
  let closed = () => {}
  const end = (request: Request) => open.delete(request) && open.size === 0 && closed()
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
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  page.on('response', (response) => {
    if (response.headers()['content-type']?.includes('text/event-stream')) end(response.request())
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
    if (isMeant(path, shapeOf(path))) await pressRest(path)
  current = home
  if (isMeant(home, shapeOf(home)) && links === 0) fault('the dashboard', 'no link was shared')
  await context.close()
  const pages = [...shapes.values()].reduce((sum, { size }) => sum + size, 0)
  if (missed.length > pressed.size * MOST_MISSED) for (const text of missed) fault('the dashboard', text)
  return { pages, pressed: pressed.size - missed.length, missed, faults, loads, hops }

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
    faults.push({ shape: shapeOf(current), text: `${mode}: ${where}: ${what}` })
  }

  /** Opens a page as it is for whoever comes first: in a world, and in a browser, where nothing was pressed. */
  async function load(path: string): Promise<void> {
    loads += 1
    current = path
    history = []
    quiet = undefined
    // Pages of the dashboard follow one another as for a reader, unless one was used.
    if (
      !isPressed &&
      !destroys &&
      [path, pathOf(page.url())].every((each) => each.startsWith('/dashboard#/{world}/'))
    ) {
      hops += 1
      complaints.length = refusals.length = 0
      const hash = path.slice(path.indexOf('#')).replace('{world}', shown.id)
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
      await settle()
      return judge(`${path} opens`)
    }
    isPressed = false
    // What a page keeps in the browser is not to decide about the next one.
    await page.evaluate('localStorage.clear(), sessionStorage.clear()').catch(() => {})
    await page.goto('about:blank')
    if (isChanged || destroys) {
      // Whoever deleted the world has another.
      await shown.restore().catch(async () => void (shown = await server.fill()))
      isChanged = false
    }
    complaints.length = refusals.length = 0
    open.clear()
    await page.goto(addressOf(path))
    await settle()
    await judge(`${path} opens`)
  }

  /**
   * Waits until no request is open and the page is at rest, and sees what it shows.
   * @param isDone whether to wait for reads that the page has put off, because it reads at most every half second
   */
  async function settle(isDone = true): Promise<void> {
    for (let n = 0; n < LOOKS; n++) {
      if (!(await allEnded())) {
        fault(page.url(), `waits for ${[...open].map((each) => each.url()).join(', ')}`)
        open.clear()
      }
      sight = await evaluate<Sight>(`pressed.rest(${isDone}).then(() => pressed.look(${!isChanged}))`)
      copied.push(...sight.copied)
      if (open.size === 0) return
    }
  }

  /** Resolves to whether all requests ended. */
  function allEnded() {
    return new Promise<boolean>((resolve) => {
      if (open.size === 0) return resolve(true)
      const hang = setTimeout(() => resolve(false), PATIENCE)
      closed = () => {
        clearTimeout(hang)
        resolve(true)
      }
    })
  }

  /** Evaluates in the page; in the next one, if it is being left. */
  async function evaluate<T>(script: string): Promise<T> {
    for (let n = 0; ; n++)
      try {
        return await page.evaluate<T>(script)
      } catch (error) {
        if (n === LOOKS) throw error
        await page.waitForLoadState('domcontentloaded')
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
        const isShown = async () =>
          (await evaluate<string>('document.body.innerText + pressed.said'))
            .replace(/\W+/g, ' ')
            .includes(words)
        // The dashboard asks so whether the world that it shows was deleted, and exports the worlds whose key was not revoked.
        if (destroys && /^GET \/sandbox\/(worlds\/\{world\} returned 404|export returned 401)/.test(what))
          continue
        const asksToSignIn = status === 401 && (await page.$('input[type="password"]')) !== null
        if (asksToSignIn || (await isShown())) continue
        await settle()
        if (!(await isShown())) fault(where, `does not show: ${what}`)
      }
    }
  }

  /** What can be pressed now. @param before what was pressed since the page opened */
  async function look(path: string, before: readonly string[]): Promise<readonly Scoped[]> {
    const app = path.split(/[#/]/)[1]
    const { found, links, texts } = sight
    const scoped = found.map((each) => ({
      ...each,
      name: each.key,
      key: `${each.isFrame ? app : shapeOf(path)} ${each.key}`,
    }))
    for (const { key } of scoped) if (!ways.has(key)) ways.set(key, { path, before, history: [...history] })
    if (quiet && quiet.known === ways.size && /^\/?dashboard/.test(quiet.key)) harmless.add(quiet.key)
    quiet = undefined
    for (const address of copied.splice(0))
      if (/^\/dashboard#.*[?&]k=/.test(address.slice(origin.length))) await openShared(address)
    for (const address of server.mailed()) await crawl(address, '', true)
    // What was made here is gone when the next page opens.
    if (isChanged) return scoped
    for (const address of new Set([...links, ...texts]))
      await crawl(address, links.includes(address) ? path : '')
    return scoped
  }

  /**
   * Adds the page of an address, if it is one.
   * @param from the page that links to it, if one does
   * @param isMailed whether the page may be one of an error
   */
  async function crawl(address: string, from: string, isMailed = false): Promise<void> {
    if (!address.startsWith(`${origin}/`) || !URL.canParse(address)) return
    const path = pathOf(address)
    if (known.has(path)) return
    known.add(path)
    if (path.startsWith('/dashboard#')) return path.startsWith('/dashboard#/{world}/') ? add(path) : undefined
    const response = await fetch(new URL(address), { headers: { accept: 'text/html' }, redirect: 'manual' })
    await response.body?.cancel()
    if (response.status >= 400 && from) fault(from, `links to ${path}, which returns ${response.status}`)
    if ((response.ok || isMailed) && response.headers.get('content-type')?.startsWith('text/html')) add(path)
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
    links += 1
  }

  async function pressPage(path: string): Promise<void> {
    if (path.startsWith('/docs/guides/')) {
      if (!guides.has(path)) guides.set(path, mode)
      if (guides.get(path) !== mode) return
    }
    await load(path)
    if (pathOf(page.url()) !== path) return crawl(page.url(), '')
    if (!isMeant(path, shapeOf(path))) return void (await look(path, []))
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
      const isReached =
        (await follow(path, way.before, key)) ||
        (way.history.length > way.before.length && (await follow(path, way.history, key)))
      if (!isReached) {
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
      const find = async () => (await look(path, before.slice(0, n))).find((found) => found.key === each)
      let next = await find()
      if (!next) {
        await settle()
        next = await find()
      }
      if (!next || !(await press(path, next))) return false
    }
    return true
  }

  function isNext(key: string): boolean {
    return !pressed.has(key) && !harmless.has(key) && (destroys || !DESTRUCTIVE.test(key))
  }

  /** Presses one after another, those first that a press brought about. */
  async function pressShown(path: string, before: readonly string[]): Promise<void> {
    let way = before
    let isEnd = false
    for (;;) {
      const all = await look(path, way)
      const age = ({ key }: Scoped) => ways.get(key)!.history.length
      const found = all.filter(({ key }) => isNext(key)).toSorted((a, b) => age(b) - age(a))
      const next =
        found.find(({ key, inDialog }) => inDialog && !CLOSES.test(key)) ??
        found.find(({ key }) => !CLOSES.test(key)) ??
        found[0]
      if (!next) {
        // What a dialog covers is seen once it is closed.
        if (isEnd) return
        isEnd = true
        if (all.some(({ inDialog }) => inDialog)) await page.keyboard.press('Escape')
        await settle()
        continue
      }
      isEnd = false
      way = [...ways.get(next.key)!.before, next.key]
      await press(path, next)
      if (pathOf(page.url()) === path) continue
      if (page.url().startsWith(origin)) await crawl(page.url(), '')
      await load(path)
      way = []
    }
  }

  /** @returns whether it was there. A read that was under way may have removed it. */
  async function press(path: string, { key, name, isChosen }: Scoped): Promise<boolean> {
    pressed.add(key)
    isPressed = true
    history.push(key)
    const before = { requests, url: page.url(), known: ways.size }
    const at = await evaluate<{ x: number; y: number } | { why: string }>(
      `pressed.point(${JSON.stringify(name)}, ${JSON.stringify(shown.fields)})`,
    )
    if ('why' in at) {
      await settle()
      if (sight.found.some((each) => each.key === name)) fault(path, `${key} cannot be pressed: it ${at.why}`)
      else pressed.delete(key)
      return false
    }
    await page.mouse.click(at.x, at.y)
    await settle(false)
    const hasEffect = () =>
      isChosen || sight.hasEffect || requests > before.requests || page.url() !== before.url
    for (let n = 0; n < LOOKS && !hasEffect(); n++) await settle()
    if (!hasEffect()) fault(path, `${key} does nothing`)
    if (requests === before.requests && page.url() === before.url) quiet = { key, known: before.known }
    await judge(`${path}: ${key}`)
    return true
  }
}
