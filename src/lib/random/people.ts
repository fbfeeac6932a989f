import type { Faker } from '@faker-js/faker'
import { ownNames, trades } from './names.ts'

export interface Name {
  readonly first_name: string
  readonly last_name: string
}

let loaded: Promise<{ faker: Faker }> | undefined

/** Returns a fictitious name; the same for the same fraction. The library is loaded at first use. */
export async function makeName(fraction: number): Promise<Name> {
  loaded ??= import('@faker-js/faker/locale/en')
  const { faker } = await loaded
  return drawn(faker, fraction)
}

function drawn(faker: Faker, fraction: number): Name {
  // Seeding and drawing are synchronous: no other caller draws in between.
  faker.seed(Math.floor(fraction * 0x1_0000_0000))
  return { first_name: faker.person.firstName(), last_name: faker.person.lastName() }
}

/** Fictitious people and businesses; the same for the same fraction. */
export interface People {
  name(country: string, fraction: number): Name
  /** For example `Kamau Hardware`. */
  business(country: string, fraction: number): string
}

const locales: { readonly [country: string]: () => Promise<{ faker: Faker }> } = {
  NG: () => import('@faker-js/faker/locale/en_NG'),
  GH: () => import('@faker-js/faker/locale/en_GH'),
}

export async function loadPeople(countries: readonly string[]): Promise<People> {
  const fakers = new Map<string, Faker>()
  for (const country of new Set(countries)) {
    const load = locales[country]
    if (load) fakers.set(country, (await load()).faker)
  }
  const name = (country: string, fraction: number): Name => {
    const faker = fakers.get(country)
    if (faker) return drawn(faker, fraction)
    const { first, last } = ownNames[country] ?? ownNames['KE']!
    const [chosen, left] = one(first, fraction)
    return { first_name: chosen, last_name: one(last, left)[0] }
  }
  return {
    name,
    business(country, fraction) {
      const [trade, left] = one(trades, fraction)
      return `${name(country, left).last_name} ${trade}`
    },
  }
}

/** Returns an item of a list, and the rest of the fraction for the next choice. */
function one(list: readonly string[], fraction: number): readonly [string, number] {
  const place = fraction * list.length
  return [list[Math.floor(place)]!, place % 1]
}
