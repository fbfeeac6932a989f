/** Infers what existed before a recording: Teams, channels and API keys. */
import type { SeedChannel, SeedTeam } from '../generated/control/types.ts'
import type { TimeSlice } from '../lib/clock/clock.ts'
import { isRecord } from '../lib/objects.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { countries } from '../service/domain/countries/countries.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import type { Description } from './described.ts'
import { type HarEntry, headerIn } from './har.ts'
import { leavesOf, namedLeaves } from './messages.ts'

const MUCH = 1_000_000_000
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

export type PriorState = Awaited<ReturnType<typeof priorStateOf>>

/** Returns the seed of a world in which the recording could have begun. */
export async function priorStateOf(
  entries: readonly HarEntry[],
  description: Description,
  slice?: TimeSlice,
) {
  const seed = defaultSeed('demo', 'demo')
  const teams = new Map(seed.teams.map((team) => [team.id, team]))
  const channels = new Map((seed.channels ?? []).map((channel) => [channel.id, channel]))
  const made = new Set<number>()
  const listed = new Set<number>()
  const statuses = new Map<string | undefined, Set<number>>()
  for (const { request, response } of entries) {
    if (slice?.over) await slice.next()
    const url = new URL(request.url)
    const found = description.find(request.method, url.pathname)
    if (!found) continue
    const label = headerIn(request.headers, 'authorization')
    statuses.set(label, (statuses.get(label) ?? new Set()).add(response.status))
    const body = parsedJson(request.postData?.text ?? '')
    const answer = parsedJson(response.content.text ?? '')
    const isOk = response.status >= 200 && response.status < 300
    const sent = new Map([...namedLeaves(body), ...url.searchParams])
    const inPath = /\/accounts?\/(\d+)$/.exec(found.path)?.[1]
    const account = Number(sent.get('account_id') ?? inPath)
    if (found.operation === 'createAccount' && isOk) {
      for (const [path, value] of leavesOf(answer)) if (/(^|\.)id$/.test(path)) made.add(Number(value))
      continue
    }
    if (Number.isInteger(account) && account > 0 && !made.has(account)) {
      if (response.status === 404 && inPath !== undefined) teams.delete(account)
      else if (isOk && !teams.has(account))
        teams.set(account, teamOf(account, String(sent.get('country') ?? 'KE')))
    }
    if (!isOk || !isRecord(answer)) continue
    const team = isRecord(answer['account']) ? answer['account'] : undefined
    if (found.operation === 'getAccount' && team && !listed.has(account)) {
      listed.add(account)
      const before = teams.get(account)
      if (before && !made.has(account)) teams.set(account, withFacts(before, team))
    }
    if (Array.isArray(answer['payment_channels'])) learnChannels(answer['payment_channels'], channels)
    const channel = Number(sent.get('channel_id'))
    if (found.operation === 'createCollection' && channel > 0 && !channels.has(channel))
      channels.set(channel, {
        id: channel,
        account_id: account > 0 ? account : 63,
        channel_type: 'till',
        short_code: String(500_000 + (channel % 100_000)),
        is_active: true,
      })
  }
  const known = [...channels.values()].filter(({ account_id }) => teams.has(account_id))
  return {
    seed: { ...seed, teams: [...teams.values()], channels: known },
    /** Returns the credentials of an exchange in the replay. */
    // Credentials are not recorded: those that were accepted once are valid, and those that may only read are a viewer's.
    authorization({ request, response }: HarEntry): string | undefined {
      const label = headerIn(request.headers, 'authorization')
      if (response.status === 401) return label === undefined ? undefined : basic('unknown:wrong')
      const seen = [...(statuses.get(label) ?? [])]
      const pays = seen.includes(201) || seen.every((status) => status !== 403)
      return basic(pays ? 'demo:demo' : 'viewer:viewer')
    },
  }
}

function teamOf(id: number, country: string): SeedTeam {
  const found = countries.find(({ code }) => code === country.toUpperCase())
  const currency = found?.currency ?? 'KES'
  return {
    id,
    organization_id: 1,
    name: `Team ${id}`,
    uuid: `team-${id}`,
    currency,
    country: found?.code ?? 'KE',
    kyc_tier: 3,
    members: { 1: 1, 2: 4 },
    wallet: { [currency]: MUCH },
    service_wallet: MUCH,
  }
}

/** Takes over what a response shows of a Team. */
function withFacts(team: SeedTeam, facts: Readonly<Record<string, unknown>>): SeedTeam {
  const text = (name: string) => {
    const value = facts[name]
    return typeof value === 'string' && value !== '' && !value.includes('[redacted') ? { [name]: value } : {}
  }
  const tier = facts['kyc_tier']
  const money = facts['service_wallet_balance']
  return {
    ...team,
    ...text('name'),
    ...text('number'),
    ...text('email'),
    ...(typeof tier === 'number' && { kyc_tier: tier }),
    ...(typeof money === 'number' && { service_wallet: money }),
  }
}

function learnChannels(list: readonly unknown[], channels: Map<number, SeedChannel>): void {
  for (const each of list) {
    if (!isRecord(each)) continue
    const { id, account_id, channel_type, short_code, account_number, description, is_active } = each
    const isWhole = typeof id === 'number' && typeof account_id === 'number' && typeof short_code === 'string'
    if (!isWhole || !['paybill', 'till', 'bank', 'wallet'].includes(String(channel_type))) continue
    channels.set(id, {
      id,
      account_id,
      channel_type: channel_type as SeedChannel['channel_type'],
      short_code,
      account_number: String(account_number ?? ''),
      description: String(description ?? ''),
      is_active: !/^(false|no|0|inactive)$/i.test(String(is_active)),
    })
  }
}
