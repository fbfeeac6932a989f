import { writeAddress } from '../core/address.ts'
import { connectTo, type Credentials } from '../core/api.ts'
import type { FormSchema } from '../core/form.ts'
import { go } from '../core/route.ts'
import { keep, session, signIn, signInWith } from '../core/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
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
