import type {
  CreateWorldRequest,
  CreatedWorld,
  World,
  WorldKey,
  WorldSettingsChange,
} from '../../src/generated/control/types.ts'
import { writeAddress } from '../core/address.ts'
import { go } from '../core/route.ts'
import { keep, session } from '../core/session.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useState } from 'preact/hooks'
import createSchema from 'schema:createWorld?name,populate'
import updateSchema from 'schema:updateWorld?name,payer,settle_after,realism,review_after,callback_shape,signatures,retry_profile,retry_speed,retry_jitter,trace_context,callback_timeout,receiver_protection,validation,generation,retention,tiers,costs'

const presets = {
  nothing: {},
  'a small shop': { teams: 5, members: 10, transactions: 500, days: 30, seed: 1 },
  'a busy one': { teams: 25, members: 80, transactions: 10_000, days: 90, seed: 1 },
}

/** Creates a world, optionally with generated data, and opens it. */
export function MakeWorld({ close }: { close: () => void }) {
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<WorldKey & { readonly id: string }>()
  if (made) return <Made of={made} close={close} />
  return (
    <Dialog title="Create a world" close={close}>
      <Form<CreateWorldRequest>
        of={createSchema}
        fields={{ name: { input: { autofocus: true } }, populate: { label: 'Contents', presets } }}
        action="Create"
        needs="own"
        send={async (body) => {
          setMaking(true)
          try {
            const { world, credentials } = await session
              .peek()!
              .transport.ask<CreatedWorld>('POST', '/sandbox/worlds', { body })
            keep(world.id, credentials)
            setMade({ id: world.id, ...credentials })
          } finally {
            setMaking(false)
          }
        }}
      >
        {() => making && <progress aria-label="Creating the world" />}
      </Form>
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
        <p>This window keeps the key of the world until you close it. The key is not shown again.</p>
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

/** The settings of a world. @param again - called after a change */
export const WorldSettings = ({ world, again }: { world: World; again: () => void }) => (
  <Form<WorldSettingsChange>
    of={updateSchema}
    fields={{
      payer: { group: 'Payments' },
      callback_shape: { group: 'Callbacks' },
      signatures: {
        help: 'Profiles separated by commas, such as standard or svix, or JSON of your own profile.',
      },
      validation: { group: 'Requests' },
      retention: { group: 'Limits' },
      tiers: { label: 'Tier' },
      costs: { grows: true },
    }}
    title="Settings"
    search="Find a setting"
    class="settings"
    action="Save"
    needs="own"
    initial={{ ...world.settings, receiver_protection: {}, name: world.name ?? '' }}
    isChange
    send={async (change) => {
      await session.peek()!.client.configure(change)
      again()
      return 'Settings changed.'
    }}
  />
)
