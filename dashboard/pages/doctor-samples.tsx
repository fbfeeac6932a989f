import { useState } from 'preact/hooks'
import type { SignatureCheck } from '../../src/client/types.ts'
import { mayChange } from '../core/access.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { sampleLanguages, sampleOf } from '../core/verify-samples.ts'
import { Block, Card, ChipButton, Facts } from '../parts/bits.tsx'

/** Code for a receiver that verifies this world's signatures. */
export function DoctorSamples({ found }: { found: SignatureCheck | undefined }) {
  const [language, setLanguage] = useState(sampleLanguages[0]!)
  const { client, world } = session.value!
  // Read-only keys do not see the secret.
  const { value } = useValue(
    async () => (mayChange.value ? client.signatures.show() : undefined),
    [world, mayChange.value],
  )
  const first = found?.diagnoses.find(({ profile }) => profile !== null)
  // The first of the world's profiles.
  const profile = first?.profile ?? value?.signatures.match(/[a-z][\w-]*/)?.[0] ?? 'standard'
  const sample = sampleOf(profile, language, first?.received?.header)
  if (profile === 'none') return null
  return (
    <Card
      title={`Verify ${profile}`}
      label="How to verify"
      beside={<span class="soft">the raw body, before any JSON parser</span>}
    >
      <div class="part first">
        {sample === undefined ? (
          <Otherwise profile={profile} />
        ) : (
          <>
            <div class="chips" role="group" aria-label="Language">
              {sampleLanguages.map((each) => (
                <ChipButton
                  key={each}
                  needs="read"
                  pressed={each === language}
                  onClick={() => setLanguage(each)}
                >
                  {each}
                </ChipButton>
              ))}
            </div>
            <Block label={`Verify in ${language}`} text={sample} />
          </>
        )}
      </div>
      {value && (
        <details class="fold part">
          <summary>Signing settings</summary>
          <Facts
            of={[
              ['Profiles', <code>{value.signatures}</code>],
              ['Secret', <code>{value.secret}</code>],
            ]}
          />
          {value.public_keys.map(({ keyid, pem }) => (
            <Block key={keyid} label={`Public key ${keyid}`} text={pem} />
          ))}
        </details>
      )}
    </Card>
  )
}

const Otherwise = ({ profile }: { profile: string }) => (
  <p>
    {profile === 'token'
      ? 'A token is not a signature: compare the header with the secret in constant time.'
      : profile === 'rfc9421'
        ? 'Verify with a library of RFC 9421, such as http-message-signatures, and the public key below; compare Content-Digest with the body yourself.'
        : 'Build the bytes by the template of your settings, as shown above, and compare in constant time.'}{' '}
    <a href={`${settings.at}/docs/guides/signatures`}>More on signatures</a>
  </p>
)
