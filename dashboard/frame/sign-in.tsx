import type { Credentials } from '../core/api.ts'
import { signIn, signInWith } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Form } from '../parts/form.tsx'

const text = { kind: 'text', required: true } as const

export const CredentialsForm = ({
  username,
  send,
}: {
  username?: string
  send: (credentials: Credentials) => Promise<void>
}) => (
  <Form<Credentials>
    of={{ kind: 'object', fields: { username: text, password: text } }}
    fields={{
      username: { label: 'API username', input: { autocomplete: 'username' } },
      password: {
        label: 'API password',
        input: { type: 'password', autocomplete: 'current-password', autofocus: username !== undefined },
      },
    }}
    initial={{ username }}
    action="Sign in"
    needs="read"
    keep
    send={send}
  />
)

/** Asks for an API key, which is kept until the window closes. */
export function SignInForm() {
  const { username, why } = signIn.value!
  return (
    <main class="alone" id="main">
      <section class="card fields">
        <p class="brand">
          <span class="dot" aria-hidden="true" /> payments-sandbox
        </p>
        <h1>Sign in</h1>
        <p class="soft">Use an API key of the world. It is kept until you close this window.</p>
        {why && (
          <p class="wrong" role="alert">
            {why.charAt(0).toUpperCase() + why.slice(1)}.
          </p>
        )}
        <CredentialsForm username={username} send={(credentials) => signInWith(credentials)} />
        {settings.password === undefined && (
          <p class="soft small">
            The password of {settings.username} is set by {settings.passwordFrom}.
          </p>
        )}
      </section>
    </main>
  )
}
