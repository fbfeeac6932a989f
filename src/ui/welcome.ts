import type { Context } from 'hono'

/** For someone who opens the address in a browser. */
export const welcome = (c: Context) =>
  c.text(`payments-sandbox: a sandbox of the Unified Payments and Team Management Service.

The description is at /openapi.json and /openapi.yaml, the sandbox's own API at /sandbox/openapi.json.
Credentials of the default world: demo / demo (HTTP Basic), e.g. GET /api/v2/user_profile/1.
`)
