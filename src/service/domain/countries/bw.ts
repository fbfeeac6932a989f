import { countryOfOneProvider, BATCHES, DOTTED, market } from './country.ts'

export const bw = countryOfOneProvider(
  {
    code: 'BW',
    name: 'Botswana',
    currency: 'BWP',
    digits: 2,
    per_shilling: 0.1,
    coin: 0.05,
    dial_code: '267',
    utc_offset_hours: 2,
    holidays: '01-01 01-02 05-01 07-01 09-30 10-01 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '26771000', local: '71000' },
    mobile: /^7/,
    identity: {
      name: 'Omang',
      pattern: '####1####',
      form: /^\d{4}[12]\d{4}$/,
      expected: 'an Omang of nine digits, the fifth of which is 1 or 2',
    },
    demo_balance: 10_000,
    market: market(
      'BW',
      [
        [
          'Orange Money',
          'Orange Botswana',
          '72 743-744 748 750-753 757 763-765 769',
          81,
          { receipt: 'dotted' },
        ],
        ['MyZaka', 'Mascom', '71 740-742 745-747 754-756 759-762 766-767 776', 12, DOTTED],
        ['Smega', 'BTC', '73', 7, { receipt: 'digits10' }],
      ],
      [
        ['FNB Botswana', 50, { account: '62#########' }],
        ['Absa Bank Botswana', 28, { account: '1######', receipt: 'flexcube' }],
        ['Stanbic Bank', 22, { account: '9060#########', receipt: 'finacle' }],
      ],
      {
        shares: 'Botswana Communications Regulatory Authority, annual report of 2024, without BotswanaPost',
        bank: { clears: BATCHES },
        visa: 85,
        fails: 0.8,
      },
    ),
  },
  { momo: [1, 10_000], bank: [10, 50_000] },
)
