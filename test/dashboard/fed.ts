/** A page whose stream of events is fed by the check: the same events in each run, as many and as fast as wanted. */
import type { BrowserContext, Page } from 'playwright-core'
import type { WorldEvent } from '../../src/client/types.ts'
import type { Player } from './server.ts'

export interface Happened {
  /** What the ids of events of one life of a world begin with. */
  readonly life: string
  /** The events of one payment, as the sandbox sends them. */
  readonly events: readonly WorldEvent[]
}

/** Each of them is a line of the feed. */
const LINES = ['request', 'transaction', 'posting', 'attempt']

/** What happens when somebody pays, from the request to the callback that came. */
export async function happened({ world, pay }: Player): Promise<Happened> {
  await pay('fed-1', { callback_url: await world.inbox.url() })
  await world.clock.advance('10s')
  const answer = await world.fetch('/sandbox/events?after=0')
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/^event: attempt\n(?:.+\n)*\n/m.test(text)) text += (await reader.read()).value ?? ''
  await reader.cancel()
  const blocks = text.split('\n\n').filter((block) => /^data: /m.test(block))
  return {
    life: /^id: (.*)-[\d.]+$/m.exec(text)![1]!,
    events: blocks
      .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as WorldEvent)
      .filter(({ type }) => LINES.includes(type)),
  }
}

/** In the page, before anything else: its stream says what `fed.some(count)` says, and what else it asks goes to the sandbox. */
const inThePage = ({ life, events }: Happened) => `(() => {
  const life = ${JSON.stringify(life)}, events = ${JSON.stringify(events)}, PAYMENTS = 2_000
  const asked = fetch
  const encoder = new TextEncoder()
  let to
  globalThis.fed = {
    last: 0,
    /** The newest payment. */
    payment: () => Math.min(PAYMENTS, 1 + Math.floor((fed.last - 1) / events.length)),
    some(count) {
      let text = ''
      while (count-- > 0) {
        const n = fed.last++
        const payment = 1 + Math.floor(n / events.length) % PAYMENTS
        const { data, ...rest } = events[n % events.length]
        const id = life + '-' + (n + 1) + '.1'
        const mine = { transaction: { id: payment, external_reference: 'fed-' + payment }, request: { id: 'req_' + payment },
          posting: { id: n, transaction_id: payment }, attempt: { id: n, callback_id: payment } }[rest.type]
        text += 'id: ' + id + '\\ndata: ' + JSON.stringify({ ...rest, id, data: { ...data, ...mine } }) + '\\n\\n'
      }
      to.enqueue(encoder.encode(text))
    },
  }
  globalThis.fetch = (request, init) => {
    if (new URL(request.url ?? request, location).pathname !== '/sandbox/events') return asked(request, init)
    return Promise.resolve(new Response(new ReadableStream({ start(controller) { to = controller } })))
  }
})()`

/** Gives pages of a context a stream that only `feed` says something on. */
export const unfed = (context: BrowserContext, events: Happened) =>
  context.addInitScript({ content: inThePage(events) })

/** Says so many more events, all at once. */
export const feed = (page: Page, count: number) => page.evaluate(`fed.some(${count})`)
