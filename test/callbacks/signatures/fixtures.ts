/** One callback, as every test of signatures sends it. */
import { signingKeys } from '../../../src/callbacks/signatures/keys.ts'
import type { CallbackRequest } from '../../../src/callbacks/signatures/profile.ts'
import {
  profiles,
  type ProfileName,
  type SignatureSettings,
} from '../../../src/callbacks/signatures/profiles/profiles.ts'

export const NOW = 1_782_780_293
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export const OLD_SECRET = 'whsec_cGF5bWVudHMtc2FuZGJveC1vbGRlci1zZWNyZXQtMDE='
export const keys = signingKeys([SECRET])

/** Has a space, a slash, an accent and key order that sorting changes: what re-serialising alters. */
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

/** What each profile's name alone stands for. */
export const NAMED = Object.fromEntries(
  profiles.flatMap(({ name, defaults }) => (defaults ? [[name, defaults]] : [])),
) as Readonly<Record<Exclude<ProfileName, 'custom'>, SignatureSettings>>
