import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const ng = countryOfOneProvider(
  {
    code: 'NG',
    name: 'Nigeria',
    currency: 'NGN',
    digits: 2,
    per_shilling: 11,
    dial_code: '234',
    utc_offset_hours: 1,
    identifies_payout_owner: true,
    test_numbers: { block: '2348030000', local: '08030000' },
    numbering: {
      mobile: /^[789]\d{9}$/,
      source: CARRIERS,
      operators: [
        operator('MTN Nigeria', ['MTN MoMo'], '703 706 803 806 810 813-814 816 903 906 913 916'),
        operator('Airtel Nigeria', ['SmartCash'], '701 708 802 808 812 901-902 904 907 912'),
        operator('Glo', [], '705 805 807 811 815 905 915'),
        operator('9mobile', [], '809 817-818 908-909'),
      ],
    },
    accounts: {
      form: /^\d{10}$/,
      expected: 'the ten digits of a NUBAN',
      source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
      provenance: 'observed',
      // Codes of the Central Bank of Nigeria (observed).
      bank_codes: {
        'Access Bank': '044',
        GTBank: '058',
        'Zenith Bank': '057',
        UBA: '033',
        'First Bank': '011',
      },
    },
    demo_balance: 1_000_000,
  },
  { names: ['MTN MoMo', 'SmartCash', 'OPay', 'PalmPay'], limits: [100, 1_000_000] },
  { names: ['Access Bank', 'GTBank', 'Zenith Bank', 'UBA', 'First Bank'], limits: [100, 5_000_000] },
)
