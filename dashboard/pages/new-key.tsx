import { useState } from 'preact/hooks'
import type { CreatedApiKey } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { endOf } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

export const roleIds = { 1: 'owner', 2: 'admin', 3: 'finance', 4: 'viewer' } as const
const ends = {
  '': 'never',
  '1h': 'in 1 hour',
  '24h': 'in 1 day',
  '168h': 'in 7 days',
  '720h': 'in 30 days',
}

/** Creates a key and shows its password once. */
export function NewKeyDialog({ close }: { close: () => void }) {
  const { client, world } = session.value!
  const { value: teams = [] } = useValue(() => client.teams.list(), [world])
  const [name, setName] = useState('')
  const [team, setTeam] = useState('')
  const [role, setRole] = useState('3')
  const [end, setEnd] = useState('')
  const [made, setMade] = useState<CreatedApiKey>()
  const make = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      const key = await client.apiKeys.create({
        role_id: Number(role),
        ...(team && { account_id: Number(team) }),
        ...(name && { name }),
        ...(end && { expires_in: end }),
      })
      setMade(key)
    }, 'own')
  }
  if (made) return <Made of={made} close={close} />
  return (
    <Dialog title="New key" close={close}>
      <form class="fields" onSubmit={make}>
        <label>
          Name
          <input
            value={name}
            maxLength={100}
            placeholder="build server"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
            autocomplete="off"
            autofocus
          />
        </label>
        <div class="pair">
          <label>
            Team
            <select value={team} onChange={({ currentTarget }) => setTeam(currentTarget.value)}>
              <option value="">same as your key</option>
              {teams.map(({ id, name: called }) => (
                <option key={id} value={id}>
                  {called} ({id})
                </option>
              ))}
            </select>
          </label>
          <label>
            Role there
            <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
              {Object.entries(roleIds).map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Ends
          <select value={end} onChange={({ currentTarget }) => setEnd(currentTarget.value)}>
            {Object.entries(ends).map(([duration, words]) => (
              <option key={duration} value={duration}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button needs="own" kind="main" type="submit" disabled={busy.value}>
          Create
        </Button>
      </form>
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
