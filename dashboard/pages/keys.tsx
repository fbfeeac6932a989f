import type { ApiKey, CreatedApiKey } from '../../src/client/types.ts'
import type { CreateApiKeyRequest } from '../../src/generated/control/types.ts'
import { mayOwn } from '../core/access.ts'
import { act } from '../core/actions.ts'
import { share } from '../core/dialogs.ts'
import { counted, endOf } from '../core/format.ts'
import { type List, listOf, useList, useValue, wholeResource } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Article, Block, Button, Card, Facts, Pill, RealTime, Said } from '../parts/bits.tsx'
import { ConfirmButton, Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loading, Missing } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import schema from 'schema:createApiKey?name,account_id,role_id,expires_in'

type State = 'works' | 'ended' | 'revoked'

const stateOf = ({ revoked_at, expires_at }: ApiKey): State =>
  revoked_at !== null
    ? 'revoked'
    : expires_at !== undefined && Date.parse(expires_at) <= Date.now()
      ? 'ended'
      : 'works'

/** Newest first; `state` is `works` or `over`. */
const keys = wholeResource<ApiKey>(
  async ({ state }) =>
    (await session.peek()!.client.apiKeys.list())
      .toReversed()
      .filter((key) => state === undefined || (stateOf(key) === 'works') === (state === 'works')),
  [],
)
const making = signal(false)

/** Shows a key that this window created or revoked. */
const reload = () => listOf(keys, { state: route.peek().query['state'] }).load()

/** For example `finance in 63`, or one role if it is the same everywhere. */
function roleText({ roles }: ApiKey): string {
  const held = Object.entries(roles)
  const names = [...new Set(held.map(([, role]) => role))]
  if (held.length === 0) return 'none'
  if (names.length === 1)
    return `${names[0]} in ${held.length > 3 ? counted(held.length, 'Team') : held.map(([team]) => team).join(', ')}`
  return held.map(([team, role]) => `${role} in ${team}`).join(', ')
}

const hrefTo = ({ username }: ApiKey) => hrefOf('keys', username, route.value.query)

const KeyState = ({ of }: { of: ApiKey }) => {
  const state = stateOf(of)
  return <Pill tone={state === 'works' ? 'good' : 'plain'}>{state}</Pill>
}

const columns: readonly Column<ApiKey>[] = [
  nameColumn('Key', hrefTo, (key) => key.name ?? key.username),
  { title: 'Role', rank: 1, cell: (key) => <span class="soft">{roleText(key)}</span> },
  { title: 'Last used', rank: 3, cell: (key) => <RealTime at={key.last_used_at} none="not seen" /> },
  { title: 'Expires', rank: 2, cell: (key) => <RealTime at={key.expires_at} none="never" /> },
  { title: 'State', is: 'state', cell: (key) => <KeyState of={key} /> },
]

export function Keys() {
  const { world } = session.value!
  return mayOwn.value ? <OwnersKeys key={world} /> : <OwnKeyAlone />
}

/** Keys without access to this page only see their own role. */
function OwnKeyAlone() {
  const { username, role, expires_at } = session.value!.key
  return (
    <>
      <header class="head">
        <h1>Keys</h1>
      </header>
      <Card title={username} label="The key of this window" beside={<Pill tone="plain">{role}</Pill>}>
        <Facts
          of={[
            ['Ends', expires_at === null ? 'never' : endOf(expires_at)],
            ['Permissions', role === 'viewer' || role === 'none' ? 'look' : 'read and change the world'],
          ]}
        />
        <p class="in-card soft">The keys of a world are for its owner to see, make and revoke.</p>
      </Card>
    </>
  )
}

function OwnersKeys() {
  const list = useList(keys, { state: route.value.query['state'] })
  return (
    <>
      <ListPage
        title="Keys"
        noun="key"
        list={list}
        columns={columns}
        keyOf={({ username }) => username}
        href={hrefTo}
        chosen={thing.value}
        filters={[
          { label: 'State', name: 'state', values: { works: 'Working', over: 'Expired or revoked' } },
        ]}
        detail={<KeyDetail username={thing.value ?? ''} list={list} />}
        empty={<Loading />}
        actions={
          <>
            <Button needs="own" icon="share" onClick={share}>
              Share read-only
            </Button>
            <Button needs="own" kind="main" icon="plus" onClick={() => (making.value = true)}>
              New key
            </Button>
          </>
        }
      />
      {making.value && (
        <NewKeyDialog
          close={() => {
            making.value = false
            void reload()
          }}
        />
      )}
    </>
  )
}

function KeyDetail({ username, list }: { username: string; list: List<ApiKey> }) {
  const key = list.items.value.find((each) => each.username === username)
  if (!key)
    return (
      <Missing
        title="Key not found"
        words="A reset deletes keys created since the world began."
        loading={list.state.value !== 'there'}
      />
    )
  const { name, user_id, default_account_id, revoked_at } = key
  const own = session.value!.key.username === username
  const revoke = () =>
    void act(async ({ client }) => {
      await client.apiKeys.revoke(username)
      await reload()
      return 'Key revoked.'
    }, 'own')
  return (
    <Article
      title={name ?? username}
      beside={
        <>
          <KeyState of={key} />
          {stateOf(key) === 'works' && (
            <span class="actions">
              <ConfirmButton
                label="Revoke…"
                title="Revoke this key?"
                words={`Requests with ${name ?? username} fail with 401 from now on. This cannot be undone.`}
                action="Revoke"
                needs="own"
                disabled={own}
                hint={own ? 'This window uses this key' : undefined}
                run={revoke}
              />
            </span>
          )}
        </>
      }
    >
      <Facts
        of={[
          ['Username', <Said>{username}</Said>],
          ['Role', roleText(key)],
          ['Default Team', <a href={hrefOf('teams', default_account_id)}>{default_account_id}</a>],
          ['User', user_id],
          ['Last used', <RealTime at={key.last_used_at} none="not seen" />],
          ['Ends', <RealTime at={key.expires_at} none="never" />],
          ['Revoked', revoked_at !== null && <RealTime at={revoked_at} />],
        ]}
      />
      {own && <p class="in-card soft">The key of this window. Its password is not kept by the sandbox.</p>}
    </Article>
  )
}

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
