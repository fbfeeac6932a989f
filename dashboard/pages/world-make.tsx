import { useEffect, useState } from 'preact/hooks'
import type { CreateWorldRequest, CreatedWorld, WorldKey } from '../../src/generated/control/types.ts'
import { wordsOf } from '../core/api.ts'
import { writeAddress } from '../core/address.ts'
import { lasting } from '../core/durations.ts'
import { go } from '../core/route.ts'
import { keep, session } from '../core/session.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

const sizes = {
  none: ['Default', undefined],
  small: ['A small shop: 5 Teams, 500 payments', { teams: 5, members: 10, transactions: 500, days: 30 }],
  large: [
    'A busy one: 25 Teams, 10,000 payments',
    { teams: 25, members: 80, transactions: 10_000, days: 90 },
  ],
  own: ['Custom size', { teams: 5, members: 10, transactions: 1_000, days: 30 }],
} as const
type Size = keyof typeof sizes

const amounts = [
  ['teams', 'Teams', 500],
  ['members', 'Members', 5_000],
  ['transactions', 'Payments', 100_000],
  ['days', 'Days of history', 366],
  ['seed', 'Seed', Number.MAX_SAFE_INTEGER],
] as const

/** Creates a world, optionally with generated data, and opens it. */
export function MakeWorld({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  const [size, setSize] = useState<Size>('none')
  const [populate, setPopulate] = useState<Record<string, string>>({})
  const [begun, setBegun] = useState<number>()
  const [wrong, setWrong] = useState('')
  const [made, setMade] = useState<WorldKey & { readonly id: string }>()
  const make = async (event: Event) => {
    event.preventDefault()
    setWrong('')
    setBegun(performance.now())
    try {
      const body: CreateWorldRequest = {
        ...(name && { name }),
        ...(size !== 'none' && { populate: sent(size, populate) }),
      }
      const { transport } = session.peek()!
      const { world, credentials } = await transport.ask<CreatedWorld>('POST', '/sandbox/worlds', { body })
      keep(world.id, credentials)
      setMade({ id: world.id, ...credentials })
    } catch (error) {
      setWrong(wordsOf(error))
      setBegun(undefined)
    }
  }
  const making = begun !== undefined
  if (made) return <Made of={made} close={close} />
  return (
    <Dialog title="Create a world" close={close}>
      <form class="fields" onSubmit={(event) => void make(event)}>
        <label>
          Name
          <input
            value={name}
            maxLength={64}
            placeholder="QA, October"
            autocomplete="off"
            disabled={making}
            autofocus
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label>
          Contents
          <select
            value={size}
            disabled={making}
            onChange={({ currentTarget }) => setSize(currentTarget.value as Size)}
          >
            {Object.entries(sizes).map(([value, [title]]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {size === 'own' && (
          <div class="amounts">
            {amounts.map(([field, title, most]) => (
              <label key={field}>
                {title}
                <input
                  type="number"
                  min="0"
                  max={most}
                  disabled={making}
                  value={populate[field] ?? String({ seed: 1, ...sizes.own[1] }[field])}
                  onInput={({ currentTarget }) => setPopulate({ ...populate, [field]: currentTarget.value })}
                />
              </label>
            ))}
          </div>
        )}
        {wrong && (
          <p class="wrong" role="alert">
            {wrong}
          </p>
        )}
        {making && (
          <Working since={begun} payments={size === 'none' ? 0 : sent(size, populate).transactions} />
        )}
        <Button needs="own" kind="main" type="submit" disabled={making}>
          {making ? 'Creating…' : 'Create'}
        </Button>
      </form>
    </Dialog>
  )
}

/** Shows the new key once. */
function Made({
  of: { id, username, password },
  close,
}: {
  of: WorldKey & { readonly id: string }
  close: () => void
}) {
  return (
    <Dialog title="World created" close={close}>
      <div class="fields">
        <p>
          Its key is of no other world. This window keeps it for as long as it is open; it is told here and
          never again.
        </p>
        <Block label="API key of the world" text={`${username}:${password}`} />
        <Button
          needs="read"
          kind="main"
          onClick={() => {
            close()
            go(writeAddress({ world: id, page: 'home' }))
          }}
        >
          Open
        </Button>
      </div>
    </Dialog>
  )
}

function sent(size: Exclude<Size, 'none'>, typed: Record<string, string>) {
  const own = Object.fromEntries(Object.entries(typed).map(([field, text]) => [field, Number(text)]))
  return { ...sizes[size][1], ...(size === 'own' && own) }
}

/** Shows progress. */
function Working({ since, payments }: { since: number; payments: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return (
    <p class="working" role="status">
      <progress aria-label="World created" />
      <span class="soft">
        {payments > 0 ? `${payments.toLocaleString('en')} payments are being generated` : 'World created'}
        <span aria-hidden="true">, {lasting(Math.floor((now - since) / 1_000) * 1_000 || 1_000)} so far</span>
      </span>
    </p>
  )
}
