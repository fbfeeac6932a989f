/** `Fields` with all fields required to be listed, even those that may be undefined. */
export type Complete<Fields> = { readonly [Field in keyof Required<Fields>]: Fields[Field] }
