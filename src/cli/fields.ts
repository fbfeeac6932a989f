import { InvalidArgumentError, Option } from 'commander'
import { mergeDeep } from '../lib/objects.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Names that a program must not write to. */
const notFields = ['__proto__', 'constructor', 'prototype']

/** Adds `amount=2000` or `customer.email=a@b.example` to the fields before it. A value is JSON where it can be, else a text. */
export function readField(text: string, before: Fields = {}): Fields {
  const [, path, value] = /^([^=]+)=([^]*)$/.exec(text) ?? []
  const names = path?.split('.') ?? []
  if (value === undefined || names.some((name) => name === '' || notFields.includes(name)))
    throw new InvalidArgumentError('Accepted: a field and its value, such as amount=2000.')
  return mergeDeep(
    before,
    names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), valueOf(value)) as Fields,
  )
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Of what is sent; may be said several times. */
export const setOption = (about: string) => new Option('--set <field=value>', about).argParser(readField)
