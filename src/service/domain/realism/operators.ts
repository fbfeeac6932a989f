/** Which operator a mobile number was given out by, as national numbering plans have it. A number that moved keeps its digits. */
import { lazy } from '../../../lib/lazy.ts'
import type { Country } from '../countries/country.ts'
import { type Operator, plans } from './numbering.ts'

/** `740-743 745` are `740`, `741`, `742`, `743` and `745`. */
export function prefixesOf({ prefixes }: Operator): readonly string[] {
  return prefixes.split(' ').flatMap((written) => {
    const [first = '', last = first] = written.split('-')
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, n) => String(Number(first) + n))
  })
}

/** By country and prefix; made when the first number is looked at. */
const byPrefix = lazy(
  () =>
    new Map(
      Object.entries(plans).map(([country, { operators }]) => [
        country,
        new Map(
          operators.flatMap((operator) => prefixesOf(operator).map((each) => [each, operator] as const)),
        ),
      ]),
    ),
)

const SHORTEST = 2
const LONGEST = 4

/** The operator whose number it is; undefined where no plan says. @param digits with the dial code */
export function operatorOf({ code, dial_code }: Country, digits: string): Operator | undefined {
  const prefixes = byPrefix().get(code)
  const national = digits.slice(dial_code.length)
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const found = prefixes?.get(national.slice(0, length))
    if (found) return found
  }
  return undefined
}

/** Whether digits with the dial code are those of a mobile phone. */
export const isMobile = ({ code, dial_code }: Country, digits: string): boolean =>
  plans[code]?.mobile.test(digits.slice(dial_code.length)) ?? true

/** Whether a number is on another network than `network_name`; false where nobody can tell. */
export function isOfAnother(country: Country, digits: string, network_name: string): boolean {
  const known = plans[country.code]?.operators.some(({ networks }) => networks.includes(network_name))
  const operator = known ? operatorOf(country, digits) : undefined
  return operator !== undefined && !operator.networks.includes(network_name)
}

/** Whether a number is one of those kept for scenarios, which are on every network. */
export const isKeptForScenarios = ({ magic: { block } }: Country, digits: string): boolean =>
  digits.startsWith(block) && digits.length === block.length + 3
