/** A static token in a header, such as Flutterwave's `verif-hash`. It authenticates the sender but not the body. */
import { diagnose, headerOf, mistake } from '../doctor/diagnosis.ts'
import type { SignatureProfile } from '../profile.ts'

export const token: SignatureProfile<{ readonly profile: 'token'; readonly header: string }> = {
  name: 'token',
  about: { headers: '`verif-hash`, or `token:x-any-name`', signed: '–', key: '–', form: 'the secret as is' },
  defaults: { profile: 'token', header: 'verif-hash' },
  set: (header) => ({ profile: 'token', header }),
  headers: ({ header }) => [header],
  sign: (_request, keys, { header }) => ({ [header]: keys.newest }),
  check(input, { header }) {
    const value = headerOf(input, header)
    if (value === null) return null
    const found = { received: { header, value }, expected: { header, value: input.secret.trim() } }
    if (value === input.secret) return diagnose('token', [], found)
    const space = value.trim() === input.secret.trim()
    const wrong = space
      ? mistake('secret-whitespace', 'token and secret differ by white space around them: trim them')
      : mistake(
          'wrong-secret',
          `${header} is not the secret: compare it with the signing secret of this world`,
        )
    return diagnose('token', [wrong], found)
  },
}
