/** What makes no sense in a file, and where. */
export interface Complaint {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** It is about the word itself, not what it stands before. */
  readonly on_key?: boolean
}
