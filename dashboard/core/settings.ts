/** What the server tells the page that it serves. */
export interface Settings {
  /** The path below which the sandbox is found; empty where it is the root. */
  readonly at: string
  /** How programs reach the sandbox, such as `http://127.0.0.1:8080`. */
  readonly origin: string
  /** An API username that works, and its password where everybody may know it. */
  readonly username: string
  readonly password?: string
  readonly passwordFrom: string
  /** A Team whose wallet takes a collection. */
  readonly collector?: { readonly id: number; readonly name?: string }
}

export const root = document.getElementById('app')!

export const settings = JSON.parse(root.dataset['settings']!) as Settings
