import { useState } from 'preact/hooks'
import { signInWith, session, keep, signIn } from '../core/session.ts'
import { writeAddress } from '../core/address.ts'
import { go } from '../core/route.ts'
import { connectTo, wordsOf } from '../core/api.ts'
import { Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Switches to a fresh world of the same key, or to another world by its own key. */
export function WorldDialog({ close }: { close: () => void }) {
  const now = session.value
  const root = (now?.username ?? '').split('+')[0]!
  const [name, setName] = useState('')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState('')
  const fresh = async (event: Event) => {
    event.preventDefault()
    const credentials = { username: `${root}+${name}`, password: now!.client.password }
    await arrive(credentials)
  }
  const other = async (event: Event) => {
    event.preventDefault()
    await arrive({ username, password })
  }
  async function arrive(credentials: { username: string; password: string }) {
    try {
      const { id } = await connectTo(credentials).client.show()
      keep(id, credentials)
      close()
      await signInWith(credentials, id)
      if (!signIn.value) go(writeAddress({ world: id, page: 'home' }))
    } catch (error) {
      setWrong(wordsOf(error))
    }
  }
  return (
    <Dialog title="Another world" close={close}>
      <form class="fields" onSubmit={(event) => void fresh(event)}>
        <p class="soft">
          A world is an isolated sandbox with its own Teams, money, callbacks and clock. A username of this
          form creates one on first use, with the same password.
        </p>
        <label>
          Name
          <span class="joined">
            <span>{root}+</span>
            <input
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              required
              pattern="[a-z0-9_.\-]{1,64}"
              placeholder="my-branch"
              autocomplete="off"
              autofocus
            />
          </span>
        </label>
        <Button needs="own" kind="main" type="submit">
          Open
        </Button>
      </form>
      <details class="fold">
        <summary>With another key</summary>
        <form class="fields" onSubmit={(event) => void other(event)}>
          <label>
            API username
            <input
              value={username}
              onInput={({ currentTarget }) => setUsername(currentTarget.value)}
              required
              autocomplete="username"
            />
          </label>
          <label>
            API password
            <input
              type="password"
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
              required
              autocomplete="current-password"
            />
          </label>
          <Button needs="read" type="submit">
            Sign in
          </Button>
        </form>
      </details>
      {wrong && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
    </Dialog>
  )
}
