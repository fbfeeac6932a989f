/** What is set while the sandbox runs for all who share the engine, such as the chaos of `/__admin`. Values are those of JSON. */
export interface SharedSettings {
  /** As it was last told; undefined when nothing is set. What another process sets is told within a fifth of a second or so. */
  get(name: string): unknown
  /** Asks how it is, where others may have set something. */
  look(): Promise<void>
  /**
   * Sets what `work` makes of what is set; undefined takes it away. Of two who do so at once one comes after the other.
   * @param work called again when another was quicker
   */
  change(name: string, work: (value: unknown) => unknown): Promise<void>
  /** Calls `listener` after each change, whoever made it. Returns how to stop. */
  onChanged(listener: (name: string, value: unknown) => void): () => void
}
