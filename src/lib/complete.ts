/** `Fields` with every field named, those too that may be undefined: none is forgotten where such an object is written down. */
export type Complete<Fields> = { readonly [Field in keyof Required<Fields>]: Fields[Field] }
