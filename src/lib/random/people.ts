import type { Faker } from '@faker-js/faker'

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
      const [form, rest] = one(forms[country] ?? usualForms, left)
      return `${name(country, rest).last_name} ${trade}${form}`
    },
  }
}

/** Returns an item of a list, and the rest of the fraction for the next choice. */
function one(list: readonly string[], fraction: number): readonly [string, number] {
  const place = fraction * list.length
  return [list[Math.floor(place)]!, place % 1]
}

/** Common names in countries that the names library lacks. */
interface Names {
  readonly first: readonly string[]
  readonly last: readonly string[]
}

const names = (first: string, last: string): Names => ({ first: first.split(' '), last: last.split(' ') })

const ownNames: { readonly [country: string]: Names } = {
  KE: names(
    'Amina Achieng Brian Chebet Cynthia Dennis Esther Faith Grace Hassan Ian Jane John Joyce Kevin Lilian Mary Mercy Moses Naomi Otieno Peter Purity Samuel Stephen Susan Victor Wanjiru Winnie Zainab',
    'Abdi Achieng Barasa Chege Cheruiyot Gitau Kamau Karanja Kariuki Kiprop Kipchumba Kimani Koech Langat Maina Mbugua Mohamed Muthoni Mutua Mwangi Ndungu Njoroge Nyambura Ochieng Odhiambo Omondi Onyango Otieno Wafula Wambui',
  ),
  TZ: names(
    'Abdallah Aisha Baraka Daudi Emmanuel Fatuma Furaha Godfrey Halima Hamisi Juma Kelvin Mariam Mwanaidi Neema Rehema Salma Said Upendo Zuberi',
    'Ally Bakari Hassan Juma Kapinga Komba Lema Lyimo Macha Makame Massawe Mbwana Mrema Mushi Mwakyusa Ndosi Ngowi Salum Shayo Temba',
  ),
  UG: names(
    'Agnes Apio Brenda David Doreen Emmanuel Fiona Isaac Joan Joseph Juliet Lubega Moses Nakato Patrick Phiona Ronald Sarah Simon Wasswa',
    'Akello Apio Byaruhanga Kato Kiggundu Lubega Mugisha Mukasa Mutebi Muwanga Nabirye Nakato Namutebi Nsubuga Okello Okot Opio Ssebunya Ssemakula Tumusiime',
  ),
  RW: names(
    'Aline Alice Claudine Diane Emmanuel Eric Esperance Fabrice Gaspard Honorine Innocent Jeanne Josiane Olivier Pacifique Patrick Solange Thierry Vestine Yves',
    'Bizimana Gasana Habimana Hakizimana Iradukunda Ishimwe Kagabo Mugabo Mukamana Munyaneza Murekatete Mutesi Ndayisaba Niyonzima Nsengimana Nshimiyimana Rukundo Twagirayezu Uwase Uwimana',
  ),
  ZM: names(
    'Alick Bwalya Chanda Chileshe Chola Clement Dalitso Esnart Given Joseph Kelvin Kondwani Mary Memory Mutinta Mwila Natasha Patience Ruth Thandiwe',
    'Banda Bwalya Chanda Daka Hamweemba Kabwe Lungu Mbewe Moyo Mulenga Mumba Musonda Mwale Mwansa Ngoma Nkhoma Phiri Sakala Tembo Zulu',
  ),
  BW: names(
    'Boitumelo Gorata Kagiso Kabelo Kefilwe Lesedi Lorato Masego Mpho Neo Onalenna Oratile Pako Refilwe Tebogo Thabo Thato Tiro Tshepo Tumelo',
    'Dikgang Kgosi Khama Kgari Lekoko Maruping Masire Modise Mogae Mokgosi Molefe Moroka Mosweu Mothibi Pheto Pilane Ramotswe Seretse Sebego Tau',
  ),
}

/** Endings of the names of businesses. */
const usualForms: readonly string[] = ['', '', ' Ltd']
const forms: { readonly [country: string]: readonly string[] } = { BW: ['', ' (Pty) Ltd'] }

const trades: readonly string[] =
  'Agrovet Bakery Books Butchery Clinic Dairy Electronics Enterprises Fashion Foods Furniture Hardware Logistics Motors Pharmacy Phones Salon Stores Traders Travel'.split(
    ' ',
  )
