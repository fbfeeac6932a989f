/** What the element on a page and that which shows an operation in it know of each other. */

/** An element, seen from what is shown in it. */
export interface Host {
  readonly element: HTMLElement
  /** Where it is shown. */
  readonly root: ShadowRoot
  /** The address of the sandbox, without a last slash. */
  readonly server: string
}

/** What is shown in an element. */
export interface Shown {
  /** The element's attributes have changed. */
  update(): void
  /** The element has left the page. */
  end(): void
}

/** Shows the operation that an element names. */
export type Show = (host: Host) => Shown

/** What a page hears of its elements: `payments-sandbox:answered` and so on. Nothing secret is in any of them. */
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
  /** Pixels that it would take to show all of it at once. */
  height: { readonly height: number }
}

export function tell<Name extends keyof Told>(element: HTMLElement, name: Name, detail: Told[Name]): void {
  element.dispatchEvent(
    new CustomEvent(`payments-sandbox:${name}`, { detail, bubbles: true, composed: true }),
  )
}
