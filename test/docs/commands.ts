/** The address that the pages use. */
export const BASE = 'http://127.0.0.1:8080'

/** Whether test/docs/commands.test.ts can run a block: each command calls a sandbox on this machine or the command line. */
export const runsInShell = (code: string): boolean =>
  (/^(\w+=\S*)?.*\bcurl\b/m.test(code) && code.includes(BASE)) ||
  /^(payments-sandbox|npm start --) /m.test(code)
