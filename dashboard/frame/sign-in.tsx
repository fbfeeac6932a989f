import { useState } from 'preact/hooks'
import { wordsOf } from '../core/api.ts'
import { signIn, signInWith } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Button } from '../parts/bits.tsx'

/** Asks for an API key, which is kept until the window closes. */
export function SignInForm() {
  const { username: before, why } = signIn.value!
  const [username, setUsername] = useState(before)
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    setWrong('')
    try {
      await signInWith({ username, password })
    } catch (error) {
      setWrong(wordsOf(error))
    }
  }
  const shown = wrong || why
  return (
    <main class="alone" id="main">
      <form class="card fields" onSubmit={(event) => void submit(event)}>
        <p class="brand">
          <span class="dot" aria-hidden="true" /> payments-sandbox
        </p>
        <h1>Sign in</h1>
        <p class="soft">Use an API key of the world. It is kept until you close this window.</p>
        {shown && (
          <p class="wrong" role="alert">
            {shown.charAt(0).toUpperCase() + shown.slice(1)}.
          </p>
        )}
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
            autofocus
          />
        </label>
        {settings.password === undefined && (
          <p class="soft small">
            The password of {settings.username} is set by {settings.passwordFrom}.
          </p>
        )}
        <Button needs="read" kind="main" type="submit">
          Sign in
        </Button>
      </form>
    </main>
  )
}
