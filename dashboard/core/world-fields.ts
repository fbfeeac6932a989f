/** The settings of a world as a form. */
import type { World, WorldSettings, WorldSettingsChange } from '../../src/generated/control/types.ts'

type Simple = Exclude<keyof WorldSettings, 'tiers' | 'costs' | 'observed'>
type Choices<Name extends Simple> = readonly (readonly [value: WorldSettings[Name], title: string])[]

interface Field<Name extends Simple> {
  readonly title: string
  readonly group: 'Payments' | 'Callbacks' | 'Requests' | 'What is kept'
  readonly about: string
  /** Choices of a select; by default the field is free text. */
  readonly choices?: Choices<Name>
  readonly numeric?: true
}

/** Fails to compile if a setting is missing. */
export const fields: { readonly [Name in Simple]: Field<Name> } = {
  payer: {
    title: 'Who ends a pay-in',
    group: 'Payments',
    about: 'By hand, a payment waits for its prompt or page to be answered.',
    choices: [
      ['automatic', 'the sandbox, after a while'],
      ['manual', 'its payer, by hand'],
      ['manual_while_watched', 'its payer while a phone is open here'],
    ],
  },
  settle_after: {
    title: 'Settles after',
    group: 'Payments',
    about: '2s, or drawn for each: 8s~lognormal, 2s..10s, realistic.',
  },
  realism: {
    title: 'Operators and banks',
    group: 'Payments',
    about: 'Realistic ones refuse what real ones would.',
    choices: [
      ['plain', 'take all that is well formed'],
      ['realistic', 'refuse what real ones would'],
      ['field', 'refuse, fail, pause and take their time as in the field'],
    ],
  },
  review_after: { title: 'A KYC review takes', group: 'Payments', about: 'A duration such as 10s or 2h.' },
  callback_shape: {
    title: 'Shape of callbacks',
    group: 'Callbacks',
    about: 'The result beside the reference, or within an object.',
    choices: [
      ['flat', 'flat'],
      ['nested', 'nested'],
    ],
  },
  signatures: {
    title: 'Signed by',
    group: 'Callbacks',
    about: 'Profiles with commas between them, such as standard or svix, or JSON of one of your own making.',
  },
  retry_profile: {
    title: 'Tried again like',
    group: 'Callbacks',
    about: 'When a callback that failed is tried again.',
    choices: [
      ['sandbox', 'the sandbox'],
      ['svix', 'Svix'],
      ['standard', 'Standard Webhooks'],
      ['adyen', 'Adyen'],
      ['paystack', 'Paystack'],
      ['none', 'never'],
    ],
  },
  retry_speed: {
    title: 'Times as fast',
    group: 'Callbacks',
    about: 'Divides every pause between attempts; from 0.001 to 1,000,000.',
    numeric: true,
  },
  retry_jitter: {
    title: 'Pauses vary',
    group: 'Callbacks',
    about: 'By up to 10 % either way.',
    choices: [
      ['on', 'yes'],
      ['off', 'no'],
    ],
  },
  trace_context: {
    title: 'Belong to a trace',
    group: 'Callbacks',
    about: 'By the header traceparent.',
    choices: [
      ['propagate', 'when the request did'],
      ['always', 'always'],
    ],
  },
  callback_timeout: {
    title: 'A receiver may take',
    group: 'Callbacks',
    about: 'To answer a callback; 30s at most.',
  },
  validation: {
    title: 'Required fields',
    group: 'Requests',
    about: 'Those of the documentation, or those that older integrations send.',
    choices: [
      ['documented', 'all that are documented'],
      ['lenient', 'as few as older clients send'],
    ],
  },
  generation: {
    title: 'Form of answers',
    group: 'Requests',
    about: 'That of the specification, or the older one of UUIDs.',
    choices: [
      ['current', 'current'],
      ['previous', 'previous'],
    ],
  },
  retention: {
    title: 'Transactions that are over',
    group: 'What is kept',
    about: 'Delay and how many, such as 30d,20000; off keeps all.',
  },
}

export const groups = ['Payments', 'Callbacks', 'Requests', 'What is kept'] as const

/** The form's texts. */
export interface Typed {
  readonly name: string
  readonly texts: { readonly [name in Simple]: string }
  readonly tiers: WorldSettings['tiers']
  readonly costs: WorldSettings['costs']
}

export const names = Object.keys(fields) as Simple[]

export function typedOf({ name, settings }: Pick<World, 'name' | 'settings'>): Typed {
  const texts = Object.fromEntries(names.map((each) => [each, String(settings[each])])) as Typed['texts']
  return { name: name ?? '', texts, tiers: settings.tiers, costs: settings.costs }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Returns only the changed settings. */
export function changeOf(base: Typed, now: Typed): WorldSettingsChange {
  const texts = names
    .filter((each) => base.texts[each] !== now.texts[each])
    .map((each) => [each, fields[each].numeric ? asNumber(now.texts[each]) : now.texts[each]])
  return {
    ...(base.name !== now.name && { name: now.name }),
    ...Object.fromEntries(texts),
    ...(!same(base.tiers, now.tiers) && { tiers: now.tiers }),
    ...(!same(base.costs, now.costs) && { costs: now.costs }),
  } as WorldSettingsChange
}

/** Invalid numbers are sent as typed, so that the sandbox reports the error. */
const asNumber = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** Keeps typed values when others change the settings. */
export function rebased(base: Typed, now: Typed, fresh: Typed): Typed {
  const pick = <T>(was: T, typed: T, comes: T) => (same(was, typed) ? comes : typed)
  return {
    name: pick(base.name, now.name, fresh.name),
    texts: Object.fromEntries(
      names.map((each) => [each, pick(base.texts[each], now.texts[each], fresh.texts[each])]),
    ) as Typed['texts'],
    tiers: pick(base.tiers, now.tiers, fresh.tiers),
    costs: pick(base.costs, now.costs, fresh.costs),
  }
}

const places = [...names, 'name', 'tiers', 'costs']
const NEXT = new RegExp(`;\\s+(?=(?:${places.join('|')})\\b)|\\n`)

/** Splits an error message by field. */
export function faultsIn(message: string): { readonly [field: string]: string } {
  const faults: Record<string, string> = {}
  for (const part of message.split(NEXT)) {
    const field = /^[a-z_]+/.exec(part)?.[0] ?? ''
    const place = places.includes(field) ? field : 'other'
    faults[place] = faults[place] ? `${faults[place]}; ${part}` : part
  }
  return faults
}
