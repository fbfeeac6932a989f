/** The store accepts nothing and shows nothing, for now or for good; the message says why. */
export class StoreUnavailable extends Error {
  /** It will not be better until the process is started again. */
  readonly final: boolean

  constructor(message: string, { final = false, ...options }: ErrorOptions & { final?: boolean } = {}) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.final = final
  }
}
