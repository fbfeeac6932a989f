import type { World, WorldSettingsChange } from '../../src/generated/control/types.ts'
import schema from 'schema:updateWorld?name,payer,settle_after,realism,review_after,callback_shape,signatures,retry_profile,retry_speed,retry_jitter,trace_context,callback_timeout,receiver_protection,validation,generation,retention,tiers,costs'
import { session } from '../core/session.ts'
import { Form } from '../parts/form.tsx'

/** The settings of a world. @param again - called after a change */
export const WorldSettings = ({ world, again }: { world: World; again: () => void }) => (
  <Form<WorldSettingsChange>
    of={schema}
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
