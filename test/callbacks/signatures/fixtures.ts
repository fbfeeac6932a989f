/** The callback that all signature tests use. */
import { signingKeys, type SigningKeys } from '../../../src/callbacks/signatures/secrets.ts'
import type { CallbackRequest } from '../../../src/callbacks/signatures/profile.ts'
import {
  profiles,
  type ProfileName,
  type SignatureSettings,
  signed,
} from '../../../src/callbacks/signatures/profiles/profiles.ts'

export const NOW = 1_782_780_293
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export const OLD_SECRET = 'whsec_cGF5bWVudHMtc2FuZGJveC1vbGRlci1zZWNyZXQtMDE='
export const keys = signingKeys([SECRET])

/** Contains a space, a slash, an accent and unsorted keys, all of which re-serialising may change. */
export const BODY =
  '{"success":true,"status":"success","message":"Payé à l\'heure","reference":"UFD004453187.iI","amount":1,' +
  '"currency":"KES","callback_urls":null,"url":"https://example.com/a"}'

export const REQUEST: CallbackRequest = {
  id: 'cb_01_17',
  timestampSeconds: NOW,
  method: 'POST',
  url: 'https://shop.example.com:8443/callbacks/payments?order=17',
  body: BODY,
  contentType: 'application/json',
}

/** Returns the headers of a signed callback. */
export const sign = (
  request: CallbackRequest,
  signatures: readonly SignatureSettings[],
  keys: SigningKeys,
): Record<string, string> => signed({ request, signatures, keys }).headers

/** The default settings of each profile. */
export const NAMED = Object.fromEntries(
  profiles.flatMap(({ name, defaults }) => (defaults ? [[name, defaults]] : [])),
) as Readonly<Record<Exclude<ProfileName, 'custom'>, SignatureSettings>>
