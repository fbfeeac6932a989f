/**
 * `/docs/embed.js`, as far as it is of the element: defines it, keeps room for what it will show, and loads that when the element is about to
 * be seen.
 */
import type { Show, Shown } from './core/host.ts'
import { schemeAround, watchScheme } from './core/scheme.ts'
import shellStyle from './shell.css'

/** The name of the file that shows operations; the build puts it here. */
declare const RENDERER: string

/** How far from being seen it is loaded, so that a reader who scrolls finds it there. */
const AHEAD = '300px 0px'

/** Where this script came from, when it is a module too. */
const own =
  (document.currentScript as HTMLScriptElement | null)?.src ??
  /https?:\/\/[^\s()]+?\/docs\/embed\.js/.exec(new Error('where').stack ?? '')?.[0]
const base = own?.replace(/\/docs\/embed\.js.*$/, '')
const other = (document.currentScript as HTMLScriptElement | null)?.dataset['server']

let loaded: Promise<Show> | undefined

/** Loaded once for all elements of the page, and again after a failure. */
function load(from: string): Promise<Show> {
  loaded ??= import(`${from}/docs/embed/${RENDERER}`).then(
    ({ show }: { show: Show }) => show,
    (error: unknown) => {
      loaded = undefined
      throw error
    },
  )
  return loaded
}

let sheet: CSSStyleSheet | undefined
function shellSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(shellStyle)
  }
  return sheet
}

class PaymentsSandbox extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' })
  readonly #own = new CSSStyleSheet()
  readonly #frame = document.createElement('div')
  #shown: Shown | undefined
  #leave: (() => void)[] = []

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [shellSheet(), this.#own]
    // What stands in the element is read until there is more, and by who has no script.
    this.#frame.append(document.createElement('slot'))
    this.#root.append(this.#frame)
  }

  connectedCallback(): void {
    this.#reserve()
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        seen.disconnect()
        void this.#show()
      },
      { rootMargin: AHEAD },
    )
    seen.observe(this)
    const attributes = new MutationObserver(() => {
      this.#reserve()
      this.#shown?.update()
    })
    attributes.observe(this, { attributes: true })
    this.#leave = [() => seen.disconnect(), () => attributes.disconnect(), watchScheme(() => this.#reserve())]
  }

  disconnectedCallback(): void {
    for (const leave of this.#leave) leave()
    this.#leave = []
    this.#shown?.end()
    this.#shown = undefined
  }

  /** The height and the scheme that it has from its first moment on. */
  #reserve(): void {
    const height = this.getAttribute('height') ?? ''
    const scheme = this.getAttribute('scheme')
    const known = scheme === 'light' || scheme === 'dark' ? scheme : schemeAround(this)
    const block =
      height === 'auto'
        ? 'min-block-size: 12em; block-size: auto'
        : CSS.supports('block-size', height)
          ? `block-size: ${height}`
          : ''
    const rule = `:host { color-scheme: ${known}; ${block} }`
    if (this.#own.cssRules[0]?.cssText !== rule) this.#own.replaceSync(rule)
  }

  async #show(): Promise<void> {
    const server = (this.dataset['server'] ?? other ?? base)?.replace(/\/+$/, '')
    const from = base ?? server
    if (!server || !from) return this.#fail('data-server says where the sandbox is')
    const show = await load(from).catch(() => undefined)
    if (!show) return this.#fail(`nothing could be loaded from ${from}`)
    if (this.isConnected && !this.#shown) this.#shown = show({ element: this, root: this.#root, server })
  }

  #fail(why: string): void {
    const line = document.createElement('p')
    line.textContent = `This cannot be shown: ${why}.`
    this.#frame.replaceChildren(line, document.createElement('slot'))
  }
}

// A page may load the script twice, and an app each time that a component is there.
if (!customElements.get('payments-sandbox')) customElements.define('payments-sandbox', PaymentsSandbox)
