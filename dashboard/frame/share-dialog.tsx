import { useState } from 'preact/hooks'
import { copy, act } from '../core/actions.ts'
import { endOf } from '../core/format.ts'
import { page, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { sharedAddress } from '../core/address.ts'
import { Block, Button, ChipButton, Said } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

const ends = { '1h': '1 hour', '24h': '1 day', '168h': '7 days' } as const
/** Maximum number of additional Teams of a key. */
const TEAMS = 100
/** Links to owner-only pages lead to the first page instead. */
const OWN = ['keys']

interface Made {
  readonly link: string
  readonly until: string
}

/** Creates a read-only key that expires, and a link that contains it. */
export function ShareDialog({ close }: { close: () => void }) {
  const [end, setEnd] = useState<keyof typeof ends>('24h')
  const [made, setMade] = useState<Made>()
  const what = OWN.includes(page.value) ? 'home' : page.value
  const make = () =>
    act(async ({ client }) => {
      const teams = (await client.teams.list()).map(({ id }) => id)
      const key = await client.apiKeys.create({
        role_id: 4,
        assigned_account_ids: teams.slice(0, TEAMS),
        name: `shared link: ${[what, thing.value].filter(Boolean).join(' ')}`.slice(0, 100),
        expires_in: end,
      })
      const address = sharedAddress({ ...route.peek(), page: what }, key)
      const link = location.href.replace(/#.*$/s, '') + address
      setMade({ link, until: key.expires_at! })
      await copy(link, 'Link')
    }, 'own')
  return (
    <Dialog title="Share read-only" close={close}>
      {made ? (
        <div class="fields">
          <p>
            Anyone with this link can view this world but change nothing, until{' '}
            <time dateTime={made.until}>{endOf(made.until)}</time>. It is shown this once; the page Keys
            revokes it.
          </p>
          <Block label="Link" text={made.link} />
          <Button needs="read" kind="main" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <div class="fields">
          <p>
            A link to{' '}
            <b>
              <Said>{OWN.includes(page.value) ? 'Home' : document.title.split(' · ')[0]}</Said>
              {thing.value !== undefined && !OWN.includes(page.value) && (
                <>
                  , <Said>{thing.value}</Said>
                </>
              )}
            </b>{' '}
            in <Said>{session.value?.name ?? session.value?.world}</Said>, with a key that may only look. It
            is good for
          </p>
          <div class="chips" role="group" aria-label="Valid for">
            {Object.entries(ends).map(([duration, words]) => (
              <ChipButton
                key={duration}
                needs="read"
                pressed={duration === end}
                onClick={() => setEnd(duration as keyof typeof ends)}
              >
                {words}
              </ChipButton>
            ))}
          </div>
          <Button needs="own" kind="main" icon="share" onClick={() => void make()}>
            Create and copy the link
          </Button>
        </div>
      )}
    </Dialog>
  )
}
