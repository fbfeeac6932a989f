import { settle } from '../core/actions.ts'
import { writeAddress } from '../core/address.ts'
import { type Credentials, connectTo } from '../core/api.ts'
import type { FormSchema } from '../core/form.ts'
import { counted } from '../core/format.ts'
import { shortcuts } from '../core/keys.ts'
import { go } from '../core/route.ts'
import { keep, session, signIn, signInWith } from '../core/session.ts'
import { clock } from '../core/world-clock.ts'
import { Key } from '../parts/bits.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Leaps } from '../parts/leaps.tsx'
import { CredentialsForm } from './sign-in.tsx'

const schema: FormSchema = { kind: 'object', fields: { name: { kind: 'text', required: true } } }

/** Switches to a fresh world of the same key, or to another world by its own key. */
export function WorldDialog({ close }: { close: () => void }) {
  const now = session.value
  const root = (now?.username ?? '').split('+')[0]!
  async function arrive(credentials: Credentials) {
    const { id } = await connectTo(credentials).client.show()
    keep(id, credentials)
    close()
    await signInWith(credentials, id)
    if (!signIn.value) go(writeAddress({ world: id, page: 'home' }))
  }
  return (
    <Dialog title="Another world" close={close}>
      <p class="soft">
        A world is an isolated sandbox with its own Teams, money, callbacks and clock. A username of this form
        creates one on first use, with the same password.
      </p>
      <Form<{ name: string }>
        of={schema}
        fields={{
          name: {
            label: `Name, after ${root}+`,
            placeholder: 'my-branch',
            input: { pattern: '[a-z0-9_.\\-]{1,64}', autofocus: true },
          },
        }}
        action="Open"
        needs="own"
        keep
        send={({ name }) => arrive({ username: `${root}+${name}`, password: now!.client.password })}
      />
      <details class="fold">
        <summary>With another key</summary>
        <CredentialsForm send={arrive} />
      </details>
    </Dialog>
  )
}

export const AdvanceDialog = ({ close }: { close: () => void }) => (
  <Dialog title="Advance the clock" close={close}>
    <p class="soft">Jobs that fall due in between run in order: settlements, callbacks, reviews.</p>
    <Leaps done={close} />
  </Dialog>
)

export const SettleDialog = ({ close }: { close: () => void }) => (
  <Confirm
    title={`Run ${counted(clock.value?.scheduled ?? 0, 'pending job')}?`}
    words="Every pending payment, callback and review ends now, and the clock moves to the last of them."
    action="Settle all"
    run={() => void settle()}
    close={close}
  />
)

export function KeysDialog({ close }: { close: () => void }) {
  const all = shortcuts().filter(({ listed }) => listed !== '')
  const groups = [...new Set(all.map(({ group }) => group))]
  return (
    <Dialog title="Keys" close={close} wide>
      <div class="key-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {all
                .filter((each) => each.group === group)
                .map(({ keys, listed = keys, what }) => (
                  <div key={keys}>
                    <dt>
                      {listed.split(' ').map((each) => (
                        <Key key={each}>{each}</Key>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="soft small">They rest while you type.</p>
    </Dialog>
  )
}
