/** A precondition of a check did not hold. The message names it. */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError'
}

/** The shop took no payment after its trigger. */
export class NoPaymentError extends InconclusiveError {
  override readonly name = 'NoPaymentError'
  readonly isConnectionRefused: boolean

  constructor(message: string, isConnectionRefused: boolean) {
    super(message)
    this.isConnectionRefused = isConnectionRefused
  }
}
