import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const bw = countryOfOneProvider(
  {
    code: 'BW',
    name: 'Botswana',
    currency: 'BWP',
    digits: 2,
    per_shilling: 0.1,
    dial_code: '267',
    utc_offset_hours: 2,
    identifies_payout_owner: false,
    test_numbers: { block: '26771000', local: '71000' },
    numbering: {
      mobile: /^7/,
      source: CARRIERS,
      operators: [
        operator('Mascom', ['MyZaka'], '71 740-742 745-747 754-756 759-762 766-767 776'),
        operator('Orange Botswana', ['Orange Money'], '72 743-744 748 750-753 757 763-765 769'),
        operator('BTC', ['Smega'], '73'),
      ],
    },
    demo_balance: 10_000,
  },
  { names: ['Orange Money', 'MyZaka', 'Smega'], limits: [1, 10_000] },
  { names: ['FNB Botswana', 'Absa Bank Botswana', 'Stanbic Bank'], limits: [10, 50_000] },
)
