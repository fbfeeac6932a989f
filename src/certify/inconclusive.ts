/** A check cannot be decided: what it stands on did not hold. The message says what, for whoever wants to mend it. */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError'
}

/** The shop was told to take a payment, and took none. */
export class NoPaymentError extends InconclusiveError {
  override readonly name = 'NoPaymentError'
  /** Whether nothing listened where it was told to. */
  readonly unheard: boolean

  constructor(message: string, unheard: boolean) {
    super(message)
    this.unheard = unheard
  }
}
