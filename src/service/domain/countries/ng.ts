import { countryOfOneProvider, AIRTEL, MTN, REGULATOR, market, noMoney, type Extra } from './country.ts'

/** Ten digits with the check digit of the bank. */
const nuban = (bank_code: string): Extra => ({ bank_code, receipt: 'nip', words: 'nip' })

export const ng = countryOfOneProvider(
  {
    code: 'NG',
    name: 'Nigeria',
    currency: 'NGN',
    digits: 2,
    per_shilling: 11,
    coin: 5,
    dial_code: '234',
    utc_offset_hours: 1,
    holidays: '01-01 05-01 06-12 10-01 12-25 12-26',
    identifies_payout_owner: true,
    test_numbers: { block: '2348030000', local: '08030000' },
    mobile: /^[789]\d{9}$/,
    identity: {
      name: 'NIN',
      pattern: '###########',
      form: /^\d{11}$/,
      expected: 'the eleven digits of a National Identification Number',
    },
    accounts: {
      form: /^\d{10}$/,
      expected: 'the ten digits of a NUBAN',
      source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
      provenance: 'observed',
    },
    demo_balance: 1_000_000,
    market: market(
      'NG',
      [
        ['MTN MoMo', 'MTN Nigeria', '703 706 803 806 810 813-814 816 903 906 913 916', 8, MTN],
        [
          'SmartCash',
          'Airtel Nigeria',
          '701 708 802 808 812 901-902 904 907 912',
          4,
          { ...AIRTEL, receipt_assumed: true, whole: 'both' },
        ],
        ['OPay', '', '', 52, { receipt: 'opay', fails: 0.6, fee: 0.5 }],
        ['PalmPay', '', '', 36, { receipt: 'digits22', fails: 0.7, fee: 0.5 }],
      ],
      [
        ['Access Bank', 24, nuban('044')],
        ['GTBank', 22, nuban('058')],
        ['Zenith Bank', 20, nuban('057')],
        ['UBA', 19, nuban('033')],
        ['First Bank', 15, nuban('011')],
      ],
      {
        shares: REGULATOR,
        others: [noMoney('Glo', '705 805 807 811 815 905 915'), noMoney('9mobile', '809 817-818 908-909')],
        visa: 35,
        fails: 1.35,
      },
    ),
  },
  { momo: [100, 1_000_000], bank: [100, 5_000_000] },
)
