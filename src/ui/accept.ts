import type { Context } from 'hono'

/** Whether a browser asks, which names text/html before anything else; programs take what they get. */
export const wantsPage = (c: Context) => (c.req.header('accept') ?? '').includes('text/html')
