import { createHmac } from 'node:crypto'
import { countries } from '../service/domain/countries/countries.ts'
import { defaultCosts } from '../service/domain/costs.ts'
import { defaultTiers } from '../service/domain/wallets.ts'
import type { Seed } from '../generated/control/types.ts'

/**
 * Returns the seed of the default world (docs/quick-start.md, "The default world").
 * @param username - The API username of the owner's key.
 * @param viewerPassword - The password of the read-only key.
 */
export function defaultSeed(
  username: string,
  password: string,
  viewerPassword = derivedViewerPassword(password),
): Seed {
  const members = { 1: 1, 2: 4 }
  const kenyan = { account_id: 63, account_number: '', is_active: true }
  return {
    organizations: [{ id: 1, name: 'Demo Organization', currency: 'KES', admin_id: 1 }],
    users: [
      {
        id: 1,
        first_name: 'Amina',
        last_name: 'Otieno',
        email: 'owner@demo.example',
        phone_number: '254712345678',
        organization_ids: [1],
        is_admin: true,
      },
      {
        id: 2,
        first_name: 'Brian',
        last_name: 'Mwangi',
        email: 'viewer@demo.example',
        phone_number: '254712345679',
        organization_ids: [1],
      },
    ],
    api_keys: [
      { username, password, user_id: 1, default_account_id: 63 },
      { username: 'viewer', password: viewerPassword, user_id: 2, default_account_id: 63 },
    ],
    teams: [
      {
        id: 63,
        organization_id: 1,
        name: 'Demo Team',
        uuid: 'demo-team',
        currency: 'KES',
        country: 'KE',
        number: '254712345678',
        email: 'team@demo.example',
        kyc_tier: 3,
        members,
        // Balances in the other currencies allow payouts to every supported country.
        wallet: Object.fromEntries(countries.map(({ currency, demo_balance }) => [currency, demo_balance])),
        service_wallet: 10_000,
      },
      {
        id: 64,
        organization_id: 1,
        name: 'New Team',
        uuid: 'new-team',
        currency: 'KES',
        country: 'KE',
        kyc_tier: 0,
        members,
      },
      {
        id: 65,
        organization_id: 1,
        name: 'Tanzania Team',
        uuid: 'tanzania-team',
        currency: 'TZS',
        country: 'TZ',
        number: '255754123456',
        kyc_tier: 3,
        members,
        wallet: { TZS: 5_000_000 },
      },
    ],
    channels: [
      {
        ...kenyan,
        id: 1501,
        channel_type: 'bank',
        short_code: '522522',
        account_number: '1180012345',
        description: 'Main bank account',
      },
      {
        ...kenyan,
        id: 1502,
        channel_type: 'paybill',
        short_code: '888880',
        account_number: 'DEMO',
        description: 'Paybill',
      },
      { ...kenyan, id: 1503, channel_type: 'till', short_code: '543210', description: 'Shop till' },
      { ...kenyan, id: 1504, channel_type: 'wallet', short_code: '400200', description: 'Wallet' },
      {
        ...kenyan,
        id: 1505,
        channel_type: 'till',
        short_code: '543211',
        description: 'Closed till',
        is_active: false,
      },
    ],
    tiers: defaultTiers,
    // The last band omits `up_to`, because JSON and YAML have no Infinity.
    costs: defaultCosts.map(({ up_to, cost }) => (Number.isFinite(up_to) ? { up_to, cost } : { cost })),
  }
}

/** Derives the viewer's password from the owner's, so that it is public only if the owner's is. */
const derivedViewerPassword = (password: string) =>
  password === 'demo' ? 'viewer' : createHmac('sha256', password).update('viewer').digest('base64url')
