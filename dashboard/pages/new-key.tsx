import { useState } from 'preact/hooks'
import type { CreatedApiKey } from '../../src/client/types.ts'
import type { CreateApiKeyRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:createApiKey?name,account_id,role_id,expires_in'
import { endOf } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'

export const roleIds = { 1: 'owner', 2: 'admin', 3: 'finance', 4: 'viewer' } as const
const ends = {
  '1h': 'in 1 hour',
  '24h': 'in 1 day',
  '168h': 'in 7 days',
  '720h': 'in 30 days',
}

/** Creates a key and shows its password once. */
export function NewKeyDialog({ close }: { close: () => void }) {
  const { client, world } = session.value!
  const { value: teams = [] } = useValue(() => client.teams.list(), [world])
  const [made, setMade] = useState<CreatedApiKey>()
  if (made) return <Made of={made} close={close} />
  return (
    <Dialog title="New key" close={close}>
      <Form<CreateApiKeyRequest>
        of={schema}
        fields={{
          name: { input: { autofocus: true } },
          account_id: { choices: Object.fromEntries(teams.map(({ id, name }) => [id, `${name} (${id})`])) },
          role_id: { label: 'Role', choices: roleIds, help: 'The role of the key in that Team.' },
          expires_in: { label: 'Expires', choices: ends, none: 'never', help: false },
        }}
        initial={{ role_id: 3 }}
        action="Create"
        needs="own"
        send={async (body) => setMade(await client.apiKeys.create(body))}
      />
    </Dialog>
  )
}

const Made = ({
  of: { username, password, expires_at },
  close,
}: {
  of: CreatedApiKey
  close: () => void
}) => (
  <Dialog title="Key created" close={close}>
    <div class="fields">
      <p>
        Copy the password now. It is not shown again.
        {expires_at !== undefined && ` Expires ${endOf(expires_at)}.`}
      </p>
      <h3>Username</h3>
      <Block label="Username" text={username} />
      <h3>Password</h3>
      <Block label="Password" text={password} />
      <h3>Try it</h3>
      <Block
        label="A request with it by curl"
        text={`curl -u '${username}:${password}' ${settings.origin}/sandbox/worlds/current`}
      />
      <Button needs="read" kind="main" onClick={close}>
        Done
      </Button>
    </div>
  </Dialog>
)
