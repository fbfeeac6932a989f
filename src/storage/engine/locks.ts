/** Work that all sandboxes over one engine owe together is done by one of them. */
export interface Locks {
  /**
   * Does work that is due at a time, such as each night's, unless a sandbox has begun it: each comes to it at its own
   * moment, and whoever comes last must not do it again.
   * @param name tells work from other work
   * @param due_at when it was to be done, milliseconds on the wall; what is due earlier than what was done is not done
   * @returns whether it was done by this call
   * @throws what the work throws; it is not begun again for this time
   */
  runOnce(name: string, due_at: number, work: () => Promise<void>): Promise<boolean>
}
