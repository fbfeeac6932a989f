import { servedCountries, testNumbers } from '../src/service/domain/countries/countries.ts'
import type { Scenario } from '../src/scenarios/scenario.ts'

/** Marks in descriptions, such as `x-sandbox-values: payin` on a phone field. */
type Asked = 'payin' | 'payout' | 'any'
const MARK = 'x-sandbox-values'

/** The placeholder for the list of served countries. */
const COUNTRIES = '{{countries}}'

/** Returns a description in which each mark is replaced by a list of test numbers, and each placeholder by the served countries. */
export function withTestNumbers<T>(value: T, scenarios: readonly Scenario[]): T {
  if (Array.isArray(value)) return value.map((each: unknown) => withTestNumbers(each, scenarios)) as T
  if (typeof value === 'string') return value.replaceAll(COUNTRIES, servedCountries.join(', ')) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === MARK ? valuesFor(each as Asked, scenarios) : withTestNumbers(each as unknown, scenarios),
    ]),
  ) as T
}

function valuesFor(asked: Asked, scenarios: readonly Scenario[]) {
  return scenarios
    .filter((scenario) => scenario.ending !== null && movesMoney(scenario) && directionFits(scenario, asked))
    .sort((a, b) => a.ending!.localeCompare(b.ending!))
    .map(({ name, title, ending }) => ({
      value: testNumbers(ending!)[0]!.number,
      scenario: name,
      title,
    }))
}

const movesMoney = ({ operations }: Scenario) =>
  ['createCollection', 'createWithdrawal', 'createGlobalPayment'].some((each) => operations.has(each))

function directionFits({ conditions }: Scenario, asked: Asked): boolean {
  const direction = conditions?.find(({ field }) => field === 'direction')
  return asked === 'any' || !direction || direction.holds(asked)
}
