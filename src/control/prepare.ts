/** The requests of payments, with a default for each omitted field. */
import type { PreparePaymentRequest } from '../generated/control/types.ts'
import { routes } from '../generated/service/routes.ts'
import { mergeDeep } from '../lib/objects.ts'
import { shown } from '../lib/text/shown.ts'
import { directionOf, findOutcome, meantOutcome, railOf } from '../scenarios/outcomes.ts'
import { fitsByName } from '../scenarios/decide.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { testAccount, testNumbers, requireCountry } from '../service/domain/countries/countries.ts'
import { networksOf } from '../service/domain/countries/networks.ts'
import type { Country } from '../service/domain/countries/country.ts'
import { membershipIn } from '../service/domain/access.ts'
import { type Caller, next, type Tx } from '../service/domain/context.ts'
import { invalid, noneLeft, ServiceError } from '../service/domain/errors.ts'
import type { Direction } from '../service/vocabulary/terms.ts'
import { handlers, ok } from './page.ts'
import { scenariosOf } from './scenarios.ts'

type Operation = 'createCollection' | 'createWithdrawal' | 'createGlobalPayment'

export const prepare = handlers(({ library, inboxes }) => ({
  async preparePayment({ world, caller, origin, request }) {
    const { direction = 'payin', outcome, ...given } = request.body
    const { byName } = (await scenariosOf(world, library())).library
    const scenario = outcome === undefined ? undefined : findOutcome(byName, outcome, direction)
    if (outcome !== undefined && !scenario)
      throw new ServiceError(
        'resource_not_found',
        `outcome ${shown(outcome)} does not exist${meantOutcome(byName, outcome)}; GET /sandbox/scenarios lists all`,
      )
    const inbox = inboxes.address(origin, world.name, 'default')
    return ok(await world.change((tx) => prepared(tx, caller, { direction, scenario, inbox, ...given })))
  },
}))

interface Wanted extends Omit<PreparePaymentRequest, 'outcome'> {
  readonly direction: Direction
  readonly scenario: Scenario | undefined
  /** The address of an inbox. */
  readonly inbox: string
}

/** @throws {ServiceError} 400 if the outcome does not apply to such a payment */
function prepared(tx: Tx, caller: Caller, wanted: Wanted) {
  const { direction, scenario, inbox, rail: chosen, country: code = 'KE', ...given } = wanted
  const { operation: named, fields = {}, account_id, amount, phone, account_number, ...own } = given
  const { reference: called, callback_url: to, ...rest } = own
  noneLeft(rest)
  const needed = scenario && railOf(scenario)
  if (scenario && needed && chosen !== undefined && chosen !== needed)
    throw invalid(`rail must be ${needed} for the outcome ${scenario.name}, got ${chosen}`)
  const country = requireCountry(code)
  const rail = chosen ?? needed ?? 'momo'
  const isKenyan = country.code === 'KE'
  const isGlobal = !isKenyan || rail === 'card' || (rail === 'bank' && direction === 'payin')
  const usual = direction === 'payin' ? 'createCollection' : 'createWithdrawal'
  const operation = named ?? (isGlobal ? 'createGlobalPayment' : usual)
  if (operation !== 'createGlobalPayment' && (isGlobal || operation !== usual))
    throw invalid(
      `operation ${operation} does not make a ${direction} by ${rail} in ${country.code}; ${isGlobal ? 'createGlobalPayment' : usual} does`,
    )
  if (scenario) requireFit(scenario, operation, direction)
  const reference = called ?? `pay-${next(tx, 'own_reference')}`
  const callback_url = to === undefined ? inbox : completeUrl(to)
  const team = account_id ?? teamOf(tx, caller)
  const asked = { amount, phone, account_number, rail, country, direction, reference, callback_url, team }
  const expected = scenario?.expect[0]?.request
  const sample = expected?.operation === operation ? expected : undefined
  const changed = mergeDeep(fieldsOf(sample, chosen === undefined && isKenyan), fields)
  const body = mergeDeep(bodies[operation](asked), changed) as Record<string, unknown>
  return {
    operation,
    method: routes[operation].method.toUpperCase(),
    path: routes[operation].path,
    headers: { ...sample?.headers, ...(scenario && { prefer: `scenario=${scenario.name}` }) },
    body,
    reference: referenceIn(body) ?? reference,
    outcome: scenario?.name ?? null,
  }
}

/** Returns the caller's own reference in a request, which further fields may replace. */
function referenceIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const { external_reference, payment_config } = body
  const own =
    external_reference ?? (payment_config as { readonly reference?: unknown } | undefined)?.reference
  return typeof own === 'string' ? own : undefined
}

/** Returns the fields that an outcome needs in the request, such as a channel. */
const fieldsOf = (own: { readonly body: object } | undefined, isUsual: boolean): object =>
  own && isUsual ? own.body : {}

/** @throws {ServiceError} 400 naming the kind of payments that the outcome is for */
function requireFit(scenario: Scenario, operation: Operation, direction: Direction): void {
  const request = { operation, direction: () => direction, value: () => undefined, preferred: undefined }
  if (fitsByName(scenario, request)) return
  const only = directionOf(scenario)
  if (only === direction)
    throw invalid(
      `outcome ${scenario.name} does not apply to ${operation}, only to ${[...scenario.operations].join(', ')}`,
    )
  if (only === undefined)
    throw invalid(
      `outcome ${scenario.name} is not of payments, but of ${[...scenario.operations].join(', ')}`,
    )
  throw invalid(
    `outcome ${scenario.name} is of ${only}s: ${only === 'payout' ? 'pay out instead of collecting' : 'collect instead of paying out'} (direction ${only})`,
  )
}

/** Completes an address without scheme or host, such as `localhost:3000/callback` or `3000`. */
function completeUrl(text: string): string {
  if (/^\d{1,5}(\/|$)/.test(text)) return `http://localhost:${text}`
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
}

interface Asked {
  readonly rail: NonNullable<PreparePaymentRequest['rail']>
  readonly country: Country
  readonly direction: Direction
  readonly team: number
  readonly reference: string
  readonly callback_url: string
  readonly amount?: number | undefined
  readonly phone?: string | undefined
  readonly account_number?: string | undefined
}

/** The Team of the API key, or if that cannot pay in the caller's name, the caller's first one. */
function teamOf(tx: Tx, caller: Caller): number {
  if (membershipIn(tx, caller, caller.default_account_id)) return caller.default_account_id
  return tx.rows.find('roles', 'user', caller.user_id)[0]?.account_id ?? caller.default_account_id
}

/** Ending of test numbers that no outcome uses. */
const ORDINARY = '000'

const phoneIn = ({ code }: Country) =>
  code === 'KE' ? '254712345678' : testNumbers(ORDINARY).find(({ country }) => country === code)!.number

const USUAL = { payin: 1_000, payout: 500 } as const

/** A code of a Kenyan bank. */
const BANK = '01'

const bodies: { readonly [O in Operation]: (asked: Asked) => object } = {
  createCollection: ({ team, amount, phone, country, reference, callback_url }) => ({
    account_id: team,
    amount: amount ?? USUAL.payin,
    phone_number: phone ?? phoneIn(country),
    provider: 'm-pesa',
    network_code: '63902',
    external_reference: reference,
    callback_url,
  }),
  createWithdrawal: ({ team, rail, amount, phone, account_number, country, reference, callback_url }) => {
    const number = phone ?? phoneIn(country)
    const isBank = rail === 'bank'
    return {
      account_id: team,
      amount: amount ?? USUAL.payout,
      phone_number: number,
      account_number: account_number ?? (isBank ? testAccount(ORDINARY) : number),
      channel: isBank ? 'bank' : 'phone',
      recipient_type: 'MSISDN',
      ...(isBank && { network_code: BANK }),
      external_reference: reference,
      callback_url,
    }
  },
  createGlobalPayment: (asked) => {
    const { team, rail, country, direction, reference, callback_url } = asked
    const network = networksOf(country, rail)[0]
    if (!network) throw invalid(`rail ${rail} is not served in ${country.code}`)
    const { network_id, provider_id, network_name, network_code, account_type, min_amount, max_amount } =
      network
    const provider = country.providers[rail].find((each) => country.networks[each]!.includes(network))!
    const phone = asked.phone ?? phoneIn(country)
    return {
      request_type: direction === 'payin' ? 'payment' : 'withdrawal',
      transaction_channel: rail,
      provider,
      amount: asked.amount ?? Math.min(max_amount, Math.max(min_amount, USUAL[direction])),
      currency: country.currency,
      country: country.code,
      reason: 'Order',
      source: 'api',
      customer: {
        first_name: 'Asha',
        last_name: 'Otieno',
        phone,
        country: country.code,
        dob: '1990-01-31T00:00:00Z',
        id_type: 'national_id',
        id_number: identityIn(country),
      },
      vendor_config: { vendor_id: team },
      provider_config: { network_id, provider_id, network_name, network_code, account_type },
      payment_config: {
        reference,
        account_number: asked.account_number ?? (rail === 'bank' ? testAccount(ORDINARY) : phone),
        remark: 'Order',
        payment_category: 'goods',
        callback_url,
        redirect_url: 'https://shop.example/thanks',
      },
    }
  },
}

/** Returns an identity number in the form of the country. */
const identityIn = ({ identity }: Country) =>
  identity.pattern.replace('YYYY', '1990').replace('MMDD', '0131').replaceAll('#', '1')
