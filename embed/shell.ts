/**
 * `/docs/embed.js`: defines the element, reserves its space, and loads the renderer when the element is about
 * to become visible.
 */
import type { Show, Shown } from './core/host.ts'
import { schemeAround, watchScheme } from './core/scheme.ts'
import shellStyle from './shell.css'

/** The file name of the renderer, set by the build. */
declare const RENDERER: string

/** Distance at which an element is loaded before it scrolls into view. */
const AHEAD = '300px 0px'

/** The address of this script, also if it is a module. */
const own =
  (document.currentScript as HTMLScriptElement | null)?.src ??
  /https?:\/\/[^\s()]+?\/docs\/embed\.js/.exec(new Error('where').stack ?? '')?.[0]
const base = own?.replace(/\/docs\/embed\.js.*$/, '')
const other = (document.currentScript as HTMLScriptElement | null)?.dataset['server']

let loaded: Promise<Show> | undefined

/** Loads the renderer once for all elements of the page, and again after a failure. */
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
    // The element's own content is shown until the renderer is loaded, and without scripts.
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

  /** Sets height and scheme from the start. */
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

// Pages may load the script twice.
if (!customElements.get('payments-sandbox')) customElements.define('payments-sandbox', PaymentsSandbox)
