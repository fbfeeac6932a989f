import type { AdminSettings, AdminSettingsChange } from '../../src/generated/control/types.ts'
import schema from 'schema:adminUpdateSettings?delay,chaos,validation'
import { askAdmin } from '../core/admin.ts'
import { Form } from '../parts/form.tsx'

/** Random delays and failures of all worlds, and defaults of new worlds. */
export const Disturbances = ({ now, changed }: { now: AdminSettings; changed: () => void }) => (
  <Form<AdminSettingsChange>
    of={schema}
    fields={{ chaos: { label: 'Random failures' } }}
    title="Delays and failures in all worlds"
    class="settings"
    action="Apply"
    needs="read"
    initial={now}
    isChange
    send={async (change) => {
      await askAdmin('PATCH', '/__admin/settings', change)
      changed()
      return 'Applies to new requests in all worlds.'
    }}
  />
)
