import type { Faker } from '@faker-js/faker'

export interface Name {
  readonly first_name: string
  readonly last_name: string
}

let loaded: Promise<{ faker: Faker }> | undefined

/** A made-up name; the same fraction gives the same one. The names are loaded when the first is asked for. */
export async function makeName(fraction: number): Promise<Name> {
  loaded ??= import('@faker-js/faker/locale/en')
  const { faker } = await loaded
  // Seeding and drawing happen in one go: nobody else draws in between.
  faker.seed(Math.floor(fraction * 0x1_0000_0000))
  return { first_name: faker.person.firstName(), last_name: faker.person.lastName() }
}
