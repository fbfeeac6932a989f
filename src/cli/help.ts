/** What stands below the list of commands: how to begin, and what an exit code says. */
export const afterHelp = `
Examples:
  payments-sandbox                             run a sandbox at http://127.0.0.1:8080
  payments-sandbox --port 0 --settle-after 0   on any free port; payments settle at once
  payments-sandbox start --help                every setting, as a flag and as an environment variable
  payments-sandbox trigger payer-cancels       see what a cancelled payment looks like
  payments-sandbox pay --amount 250            make a payment and see what happens to it
  payments-sandbox logs tail                   see requests and callbacks as they come
  payments-sandbox clock advance 72h           let three days pass
  payments-sandbox scenarios test ./scenarios  hold your scenario files to what they promise
  payments-sandbox listen --url https://sandbox.example --forward-to http://localhost:3000
                                               bring a remote sandbox's callbacks to this machine
  payments-sandbox openapi --json > api.json   keep the description for a code generator

A running sandbox serves guides at /docs/guides, and the API reference at /docs.

Exit codes:
  0  done
  1  the answer is no: not ready, refused, a check or a receiver failed
  2  the command line or a setting is not understood
  3  it could not start: a port in use, a file that is missing or broken
  4  no sandbox answers at the address
`
