/**
 * The prefixes of operators: observed, as libphonenumber's tables of carriers have them, but where an operator says that they
 * are assumed. Networks that take the numbers of every operator, such as OPay, are not named here.
 */

/** Who gave out a number first. */
export interface Operator {
  readonly name: string
  /** The networks of mobile money, by `network_name`, that only its own numbers are on. */
  readonly networks: readonly string[]
  /** What its numbers begin with in the country, without the trunk zero: `71`, or `740-743` for several. */
  readonly prefixes: string
  /** What the source of the plan says instead, where the prefixes are not from there. */
  readonly assumed?: string
}

/** The mobile numbers of a country. */
export interface NumberingPlan {
  /** What the national digits of a mobile number begin with. */
  readonly mobile: RegExp
  readonly operators: readonly Operator[]
  /** Where the prefixes are published. */
  readonly source: string
}

const operator = (name: string, networks: readonly string[], prefixes: string) => ({
  name,
  networks,
  prefixes,
})
/** The tables know no such operator there, but the prefix as another's. */
const assumed = (name: string, prefixes: string, why: string) => ({
  ...operator(name, [], prefixes),
  assumed: why,
})
const CARRIERS = 'libphonenumber 9.0.43, tables of carriers'

/** By ISO code of the country. */
export const plans: { readonly [country: string]: NumberingPlan } = {
  KE: {
    mobile: /^[17]/,
    source: CARRIERS,
    operators: [
      operator('Safaricom', ['M-Pesa'], '70-72 79 740-743 745-746 748 757-759 768-769 110-117'),
      operator('Airtel Kenya', ['Airtel Money'], '73 750-756 762 767 78 100-108'),
      operator('Telkom Kenya', ['T-Kash'], '77'),
      operator('Jamii Telecommunications', [], '747'),
      assumed('Finserve Africa', '763-766', `${CARRIERS}, have them as Airtel’s`),
    ],
  },
  TZ: {
    mobile: /^[67]/,
    source: CARRIERS,
    operators: [
      operator('Vodacom Tanzania', ['M-Pesa'], '74-76 79'),
      operator('Yas', ['Mixx by Yas'], '65 67 70-71 77'),
      operator('Airtel Tanzania', ['Airtel Money'], '66 68-69 78'),
      operator('Halotel', ['HaloPesa'], '61-63'),
      operator('TTCL', [], '73'),
    ],
  },
  ZM: {
    mobile: /^[579]/,
    source: CARRIERS,
    operators: [
      operator('MTN Zambia', ['MTN MoMo'], '76 96'),
      operator('Airtel Zambia', ['Airtel Money'], '77 97'),
      operator('Zamtel', ['Zamtel Money'], '75 95'),
    ],
  },
  BW: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('Mascom', ['MyZaka'], '71 740-742 745-747 754-756 759-762 766-767 776'),
      operator('Orange Botswana', ['Orange Money'], '72 743-744 748 750-753 757 763-765 769'),
      operator('BTC', ['Smega'], '73'),
    ],
  },
  NG: {
    mobile: /^[789]\d{9}$/,
    source: CARRIERS,
    operators: [
      operator('MTN Nigeria', ['MTN MoMo'], '703 706 803 806 810 813-814 816 903 906 913 916'),
      operator('Airtel Nigeria', ['SmartCash'], '701 708 802 808 812 901-902 904 907 912'),
      operator('Glo', [], '705 805 807 811 815 905 915'),
      operator('9mobile', [], '809 817-818 908-909'),
    ],
  },
  UG: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('MTN Uganda', ['MTN MoMo'], '76-78'),
      operator('Airtel Uganda', ['Airtel Money'], '70 74-75'),
      operator('Uganda Telecom', [], '71'),
    ],
  },
  GH: {
    mobile: /^[25]/,
    source: CARRIERS,
    operators: [
      operator('MTN Ghana', ['MTN MoMo'], '24 54 553-558 59'),
      operator('Telecel Ghana', ['Telecel Cash'], '20 50'),
      operator('AT Ghana', ['AT Money'], '26-27 56-57'),
      assumed('Glo', '23', `${CARRIERS}, have it as AT’s`),
    ],
  },
  RW: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('MTN Rwanda', ['MTN MoMo'], '78-79'),
      operator('Airtel Rwanda', ['Airtel Money'], '72-73'),
    ],
  },
}
