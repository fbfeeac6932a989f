/** The interface between the element on a page and the renderer. */

/** An element as seen by the renderer. */
export interface Host {
  readonly element: HTMLElement
  /** The shadow root to render into. */
  readonly root: ShadowRoot
  /** The address of the sandbox without a trailing slash. */
  readonly server: string
}

/** A rendered element. */
export interface Shown {
  /** Called when the element's attributes change. */
  update(): void
  /** Called when the element leaves the page. */
  end(): void
}

/** Renders the operation that an element names. */
export type Show = (host: Host) => Shown

/** Events that a page receives: `payments-sandbox:answered` etc. None contains secrets. */
export interface Told {
  ready: { readonly operation: string }
  sent: { readonly operation: string; readonly method: string; readonly url: string; readonly body: unknown }
  answered: {
    readonly operation: string
    readonly status: number
    readonly body: unknown
    readonly ms: number
  }
  callback: { readonly operation: string; readonly body: unknown; readonly state: string }
  /** Pixels needed to show the whole content. */
  height: { readonly height: number }
}

export function tell<Name extends keyof Told>(element: HTMLElement, name: Name, detail: Told[Name]): void {
  element.dispatchEvent(
    new CustomEvent(`payments-sandbox:${name}`, { detail, bubbles: true, composed: true }),
  )
}
