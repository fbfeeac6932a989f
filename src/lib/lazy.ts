/** Returns a function that creates the value at its first call. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
