/**
 * Receives the callbacks of an origin within the process, such as `app.fetch` of Hono. Return `Response.error()` to refuse the
 * connection; an exception breaks it.
 * @example
 * ```ts
 * import { createSandbox, type Receiver } from 'payments-sandbox'
 *
 * const statuses: string[] = []
 * const receive: Receiver = async (request) => {
 *   const { status } = (await request.json()) as { status: string }
 *   statuses.push(status)
 *   return new Response(null, { status: 204 })
 * }
 * const sandbox = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': receive } })
 * const shop = await sandbox.world()
 * await shop.call('createCollection', {
 *   body: {
 *     amount: 1000,
 *     phone_number: '0712345678',
 *     provider: 'm-pesa',
 *     network_code: '63902',
 *     account_id: 63,
 *     callback_url: 'https://shop.test/callbacks',
 *   },
 * })
 * await shop.settle()
 * statuses // => ['success']
 * await sandbox.close()
 * ```
 */
export type Receiver = (request: Request) => Response | Promise<Response>
