import { expect, it } from 'vitest'
import { onBankingDay } from '../../../src/service/domain/realism/field.ts'

it.each([
  ['a weekday stays', '2026-06-12T20:00:00Z', 'KE', '2026-06-12T20:00:00Z'],
  ['Saturday', '2026-06-13T12:00:00Z', 'KE', '2026-06-15T06:00:00Z'],
  ['Sunday', '2026-06-14T20:59:59Z', 'KE', '2026-06-15T06:00:00Z'],
  ['Saturday in Nairobi, Friday in UTC', '2026-06-12T21:00:00Z', 'KE', '2026-06-15T06:00:00Z'],
  ['Friday in Accra still', '2026-06-12T21:00:00Z', 'GH', '2026-06-12T21:00:00Z'],
  ['Christmas, a Friday, and the weekend after it', '2026-12-25T08:00:00Z', 'KE', '2026-12-28T06:00:00Z'],
  ['Good Friday to Easter Monday', '2026-04-03T08:00:00Z', 'ZM', '2026-04-07T07:00:00Z'],
  ['a national day', '2026-10-01T08:00:00Z', 'NG', '2026-10-02T08:00:00Z'],
  ['the national day of another country', '2026-10-01T08:00:00Z', 'KE', '2026-10-01T08:00:00Z'],
  ['before 1970', '1969-12-27T12:00:00Z', 'NG', '1969-12-29T08:00:00Z'],
])('%s', (_, at, country, expected) =>
  expect(new Date(onBankingDay(Date.parse(at), country)).toISOString()).toBe(expected.replace('Z', '.000Z')),
)
