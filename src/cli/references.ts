/** A reference to a transaction in a request or its answer, the service's own before the caller's. */
export function referenceIn(body: unknown): string | undefined {
  const { reference, merchant_reference, external_reference, payment_config } = (body ?? {}) as {
    readonly [field: string]: unknown
  }
  const own = [reference, merchant_reference, external_reference].find(
    (each) => each !== undefined && each !== '',
  )
  return typeof own === 'string' ? own : payment_config ? referenceIn(payment_config) : undefined
}
