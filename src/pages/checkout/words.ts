/** The texts of payment pages by language. */
import type { Context } from 'hono'
import { utcOffset } from '../../service/domain/countries/countries.ts'
import { digitsOf } from '../../service/domain/money.ts'
import { type Reason, reasons } from '../../service/vocabulary/reasons.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

/** The reasons for which a pay-in fails. */
type PayinReason = {
  [R in Reason]: (typeof reasons)[R] extends { readonly direction: 'payout' } ? never : R
}[Reason]

export const english = {
  pay: (shop: string) => `Pay ${shop}`,
  payAmount: (amount: string) => `Pay ${amount}`,
  cancel: 'Cancel',
  deletedTeam: 'a deleted Team',
  method: 'Method',
  from: 'From',
  order: 'Order',
  reference: 'Reference',
  momo: 'Mobile money',
  bank: 'Bank account',
  card: 'Card',
  cardEnding: (brand: string, last4: string) => `${brand} ending in ${last4}`,
  testMode: 'Test mode',
  noMoneyMoves: 'Test mode: no money moves.',
  payByCard: 'Pay by card',
  number: 'Card number',
  expiry: 'Expiry',
  expiryHint: 'MM/YY',
  cvc: 'CVC',
  cvcHint: '3 or 4 digits',
  name: 'Name on card',
  notCharged: 'You were not charged.',
  faults: (count: number) => `${count === 1 ? 'One field needs' : `${count} fields need`} another look.`,
  fault: (text: string) => text,
  declined: (card: string) => `${card} was declined.`,
  cardsLeft: (left: number) =>
    left === 1 ? 'You can try one more card.' : `You can try ${left} more cards.`,
  testCards: 'Test cards',
  testCardsHint:
    'With any expiry that is not past, any CVC and any name. Every other card is approved, if its check digit is right.',
  result: 'Result',
  confirmOnPhone: 'Confirm on your phone',
  requestSent: 'We sent a payment request to',
  promptSent: 'We sent a payment prompt to',
  enterPin: 'Enter your PIN on the phone.',
  continues: 'This page continues automatically.',
  noPhone: 'No phone at hand? Use these buttons instead.',
  confirmWithBank: 'Confirm with your bank',
  bankRequestSent: 'We sent a request to your bank for the account',
  approveWithBank: 'Approve it with your bank.',
  noBank: 'This test mode has no bank. Use these buttons instead.',
  challenge: 'Confirm this payment with your bank.',
  challengeMore: (card: string) => `${card} is not charged until you do.`,
  toBank: 'Go to your bank',
  anotherCard: 'Use another card, or cancel',
  exampleBank: 'Example Bank',
  confirmQuestion: 'Confirm this payment?',
  to: 'To',
  amount: 'Amount',
  code: 'Code',
  codeSent: (code: string) => `We sent a code to your phone. In test mode, it is ${code}.`,
  wrongCode: 'The code is wrong. Enter it again.',
  confirm: 'Confirm',
  reject: 'Reject',
  backToPayment: 'Back to the payment',
  testBank: 'Test mode: there is no bank, and no money moves.',
  completeBy: 'Complete the payment by',
  onClock: "on the sandbox's clock.",
  frozen: 'The clock is frozen.',
  paid: 'Paid',
  paidMore: (shop: string) => `${shop} received your payment.`,
  refunded: 'Refunded',
  refundedMore: (shop: string) => `${shop} returned your payment.`,
  cancelled: 'Cancelled',
  expired: 'Expired',
  failed: 'Payment failed',
  close: 'You can close this page.',
  continueTo: 'Continue to',
  backToShop: 'Back to the shop',
  redirecting: (host: string, seconds: number) => `Redirecting to ${host} in ${seconds} seconds.`,
  reasons: {
    insufficient_funds: 'The balance is too low for this payment.',
    operator_error: 'The operator had an internal error. Try again.',
    rule_limited: 'You made a payment of the same amount less than two minutes ago. Wait and try again.',
    daily_limit: 'This payment exceeds your daily limit.',
    operator_busy: 'The operator is busy. Try again in a few minutes.',
    subscriber_locked: 'Another payment is in progress on this phone. Finish it and try again.',
    expired: 'The time for this payment is over.',
    prompt_not_sent: 'The prompt could not be sent to this phone. Is it registered for mobile money?',
    cancelled: 'You cancelled the payment.',
    unreachable: 'The phone could not be reached. Is it on?',
    card_declined: 'The bank of the card declined it. Use another card, or call the bank.',
    card_lost: 'The card was reported lost.',
    card_stolen: 'The card was reported stolen.',
    card_expired: 'The card has expired.',
    fraud_suspected: 'The bank of the card suspects fraud. Call the bank.',
    card_limit: 'The amount exceeds the limit of the card.',
    not_authenticated: 'Your bank did not confirm the payment.',
    incorrect_cvc: 'The security code of the card is incorrect.',
    issuer_unavailable: 'The bank of the card cannot be reached. Try again, or use another card.',
    wrong_pin: 'The PIN was wrong.',
  } satisfies { readonly [R in PayinReason]: string },
}

export type Words = typeof english

const sw: Words = {
  pay: (shop) => `Lipa ${shop}`,
  payAmount: (amount) => `Lipa ${amount}`,
  cancel: 'Ghairi',
  deletedTeam: 'timu iliyofutwa',
  method: 'Njia',
  from: 'Kutoka',
  order: 'Oda',
  reference: 'Kumbukumbu',
  momo: 'Pesa kwa simu',
  bank: 'Akaunti ya benki',
  card: 'Kadi',
  cardEnding: (brand, last4) => `${brand} inayoishia ${last4}`,
  testMode: 'Majaribio',
  noMoneyMoves: 'Majaribio: hakuna pesa inayohamishwa.',
  payByCard: 'Lipa kwa kadi',
  number: 'Nambari ya kadi',
  expiry: 'Mwisho wa kadi',
  expiryHint: 'MM/YY',
  cvc: 'CVC',
  cvcHint: 'Tarakimu 3 au 4',
  name: 'Jina kwenye kadi',
  notCharged: 'Hujatozwa.',
  faults: (count) => (count === 1 ? 'Angalia tena sehemu moja.' : `Angalia tena sehemu ${count}.`),
  fault: (text) => translated(text, 'sw'),
  declined: (card) => `${card} imekataliwa.`,
  cardsLeft: (left) =>
    left === 1 ? 'Unaweza kujaribu kadi moja zaidi.' : `Unaweza kujaribu kadi ${left} zaidi.`,
  testCards: 'Kadi za majaribio',
  testCardsHint:
    'Kwa tarehe yoyote ambayo haijapita, CVC yoyote na jina lolote. Kadi nyingine zote hukubaliwa ikiwa tarakimu ya ukaguzi ni sahihi.',
  result: 'Matokeo',
  confirmOnPhone: 'Thibitisha kwenye simu yako',
  requestSent: 'Tumetuma ombi la malipo kwa',
  promptSent: 'Tumetuma ombi la malipo kwa',
  enterPin: 'Weka PIN yako kwenye simu.',
  continues: 'Ukurasa huu utaendelea wenyewe.',
  noPhone: 'Huna simu karibu? Tumia vitufe hivi.',
  confirmWithBank: 'Thibitisha kwa benki yako',
  bankRequestSent: 'Tumetuma ombi kwa benki yako kwa akaunti',
  approveWithBank: 'Idhinisha kwa benki yako.',
  noBank: 'Majaribio haya hayana benki. Tumia vitufe hivi.',
  challenge: 'Thibitisha malipo haya kwa benki yako.',
  challengeMore: (card) => `${card} haitatozwa hadi uthibitishe.`,
  toBank: 'Nenda kwa benki yako',
  anotherCard: 'Tumia kadi nyingine, au ghairi',
  exampleBank: 'Benki ya Mfano',
  confirmQuestion: 'Thibitisha malipo haya?',
  to: 'Kwa',
  amount: 'Kiasi',
  code: 'Msimbo',
  codeSent: (code) => `Tumetuma msimbo kwa simu yako. Katika majaribio ni ${code}.`,
  wrongCode: 'Msimbo si sahihi. Uweke tena.',
  confirm: 'Thibitisha',
  reject: 'Kataa',
  backToPayment: 'Rudi kwenye malipo',
  testBank: 'Majaribio: hakuna benki, na hakuna pesa inayohamishwa.',
  completeBy: 'Kamilisha malipo kabla ya',
  onClock: 'kwa saa ya majaribio.',
  frozen: 'Saa imesimamishwa.',
  paid: 'Imelipwa',
  paidMore: (shop) => `${shop} imepokea malipo yako.`,
  refunded: 'Imerejeshwa',
  refundedMore: (shop) => `${shop} imerejesha malipo yako.`,
  cancelled: 'Imeghairiwa',
  expired: 'Muda umekwisha',
  failed: 'Malipo hayakufaulu',
  close: 'Unaweza kufunga ukurasa huu.',
  continueTo: 'Endelea hadi',
  backToShop: 'Rudi dukani',
  redirecting: (host, seconds) => `Unaelekezwa ${host} baada ya sekunde ${seconds}.`,
  reasons: {
    insufficient_funds: 'Salio halitoshi kwa malipo haya.',
    operator_error: 'Kuna hitilafu kwa mtoa huduma. Jaribu tena.',
    rule_limited: 'Umelipa kiasi hichohicho chini ya dakika mbili zilizopita. Subiri ujaribu tena.',
    daily_limit: 'Malipo haya yanazidi kikomo chako cha siku.',
    operator_busy: 'Mtoa huduma ana shughuli nyingi. Jaribu tena baada ya dakika chache.',
    subscriber_locked: 'Malipo mengine yanaendelea kwenye simu hii. Yamalize ujaribu tena.',
    expired: 'Muda wa malipo haya umekwisha.',
    prompt_not_sent: 'Ombi halikuweza kutumwa kwa simu hii. Je, imesajiliwa kwa pesa kwa simu?',
    cancelled: 'Umeghairi malipo.',
    unreachable: 'Simu haikupatikana. Je, imewashwa?',
    card_declined: 'Benki ya kadi imeikataa. Tumia kadi nyingine, au pigia benki.',
    card_lost: 'Kadi imeripotiwa kupotea.',
    card_stolen: 'Kadi imeripotiwa kuibiwa.',
    card_expired: 'Muda wa kadi umekwisha.',
    fraud_suspected: 'Benki ya kadi inashuku ulaghai. Pigia benki.',
    card_limit: 'Kiasi kinazidi kikomo cha kadi.',
    not_authenticated: 'Benki yako haikuthibitisha malipo.',
    incorrect_cvc: 'Msimbo wa usalama wa kadi si sahihi.',
    issuer_unavailable: 'Benki ya kadi haipatikani. Jaribu tena, au tumia kadi nyingine.',
    wrong_pin: 'PIN haikuwa sahihi.',
  },
}

const fr: Words = {
  pay: (shop) => `Payer ${shop}`,
  payAmount: (amount) => `Payer ${amount}`,
  cancel: 'Annuler',
  deletedTeam: 'une équipe supprimée',
  method: 'Moyen de paiement',
  from: 'De',
  order: 'Commande',
  reference: 'Référence',
  momo: 'Mobile money',
  bank: 'Compte bancaire',
  card: 'Carte',
  cardEnding: (brand, last4) => `${brand} se terminant par ${last4}`,
  testMode: 'Mode test',
  noMoneyMoves: 'Mode test : aucun argent n’est transféré.',
  payByCard: 'Payer par carte',
  number: 'Numéro de carte',
  expiry: 'Expiration',
  expiryHint: 'MM/AA',
  cvc: 'CVC',
  cvcHint: '3 ou 4 chiffres',
  name: 'Nom sur la carte',
  notCharged: 'Vous n’avez pas été débité.',
  faults: (count) => (count === 1 ? 'Vérifiez un champ.' : `Vérifiez ${count} champs.`),
  fault: (text) => translated(text, 'fr'),
  declined: (card) => `${card} a été refusée.`,
  cardsLeft: (left) =>
    left === 1 ? 'Vous pouvez essayer une autre carte.' : `Vous pouvez essayer ${left} autres cartes.`,
  testCards: 'Cartes de test',
  testCardsHint:
    'Avec une expiration future, un CVC et un nom quelconques. Toute autre carte est acceptée si sa clé de contrôle est correcte.',
  result: 'Résultat',
  confirmOnPhone: 'Confirmez sur votre téléphone',
  requestSent: 'Nous avons envoyé une demande de paiement au',
  promptSent: 'Nous avons envoyé une demande de paiement au',
  enterPin: 'Saisissez votre code PIN sur le téléphone.',
  continues: 'Cette page continue automatiquement.',
  noPhone: 'Pas de téléphone à portée de main ? Utilisez ces boutons.',
  confirmWithBank: 'Confirmez auprès de votre banque',
  bankRequestSent: 'Nous avons envoyé une demande à votre banque pour le compte',
  approveWithBank: 'Approuvez-la auprès de votre banque.',
  noBank: 'Ce mode test n’a pas de banque. Utilisez ces boutons.',
  challenge: 'Confirmez ce paiement auprès de votre banque.',
  challengeMore: (card) => `${card} n’est pas débitée avant votre confirmation.`,
  toBank: 'Aller à votre banque',
  anotherCard: 'Utiliser une autre carte, ou annuler',
  exampleBank: 'Banque Exemple',
  confirmQuestion: 'Confirmer ce paiement ?',
  to: 'À',
  amount: 'Montant',
  code: 'Code',
  codeSent: (code) => `Nous avons envoyé un code à votre téléphone. En mode test, c’est ${code}.`,
  wrongCode: 'Le code est incorrect. Saisissez-le de nouveau.',
  confirm: 'Confirmer',
  reject: 'Refuser',
  backToPayment: 'Retour au paiement',
  testBank: 'Mode test : il n’y a pas de banque, et aucun argent n’est transféré.',
  completeBy: 'Terminez le paiement avant',
  onClock: 'à l’horloge du bac à sable.',
  frozen: 'L’horloge est arrêtée.',
  paid: 'Payé',
  paidMore: (shop) => `${shop} a reçu votre paiement.`,
  refunded: 'Remboursé',
  refundedMore: (shop) => `${shop} vous a remboursé.`,
  cancelled: 'Annulé',
  expired: 'Expiré',
  failed: 'Échec du paiement',
  close: 'Vous pouvez fermer cette page.',
  continueTo: 'Continuer vers',
  backToShop: 'Retour à la boutique',
  redirecting: (host, seconds) => `Redirection vers ${host} dans ${seconds} secondes.`,
  reasons: {
    insufficient_funds: 'Le solde est insuffisant pour ce paiement.',
    operator_error: 'L’opérateur a rencontré une erreur. Réessayez.',
    rule_limited: 'Vous avez payé le même montant il y a moins de deux minutes. Attendez et réessayez.',
    daily_limit: 'Ce paiement dépasse votre plafond journalier.',
    operator_busy: 'L’opérateur est surchargé. Réessayez dans quelques minutes.',
    subscriber_locked: 'Un autre paiement est en cours sur ce téléphone. Terminez-le et réessayez.',
    expired: 'Le délai de ce paiement est écoulé.',
    prompt_not_sent: 'La demande n’a pas pu être envoyée. Ce téléphone a-t-il un compte mobile money ?',
    cancelled: 'Vous avez annulé le paiement.',
    unreachable: 'Le téléphone est injoignable. Est-il allumé ?',
    card_declined: 'La banque de la carte l’a refusée. Utilisez une autre carte, ou appelez la banque.',
    card_lost: 'La carte a été déclarée perdue.',
    card_stolen: 'La carte a été déclarée volée.',
    card_expired: 'La carte a expiré.',
    fraud_suspected: 'La banque de la carte soupçonne une fraude. Appelez la banque.',
    card_limit: 'Le montant dépasse le plafond de la carte.',
    not_authenticated: 'Votre banque n’a pas confirmé le paiement.',
    incorrect_cvc: 'Le code de sécurité de la carte est incorrect.',
    issuer_unavailable: 'La banque de la carte est injoignable. Réessayez, ou utilisez une autre carte.',
    wrong_pin: 'Le code PIN était incorrect.',
  },
}

/** The faults of `readCard` in English, Swahili and French; `#` stands for a number or date. */
const faults = [
  ['is required', 'inahitajika', 'est obligatoire'],
  ['must be digits, in groups if you like', 'lazima iwe tarakimu', 'doit contenir des chiffres'],
  [
    'must have 12 to 19 digits, and has #',
    'lazima iwe na tarakimu 12 hadi 19, ina #',
    'doit avoir 12 à 19 chiffres, et en a #',
  ],
  [
    'has a wrong check digit: one of its digits is mistyped',
    'ina tarakimu iliyokosewa',
    'contient un chiffre erroné',
  ],
  [
    'must be a month and a year, such as 12/30',
    'lazima iwe mwezi na mwaka, kama 12/30',
    'doit être un mois et une année, par exemple 12/30',
  ],
  [
    'is in the past: it must be # or later',
    'imepita: lazima iwe # au baadaye',
    'est passée : elle doit être # ou plus tard',
  ],
  ['must be 3 or 4 digits', 'lazima iwe tarakimu 3 au 4', 'doit avoir 3 ou 4 chiffres'],
  ['must be # digits', 'lazima iwe tarakimu #', 'doit avoir # chiffres'],
  ['must have at most # characters', 'lazima iwe na herufi # au chini', 'doit avoir au plus # caractères'],
] as const

/** Translates a fault of a card; one without a translation stays in English. */
function translated(text: string, language: 'sw' | 'fr'): string {
  for (const [inEnglish, inSwahili, inFrench] of faults) {
    const [before = '', after] = inEnglish.split('#')
    if (after === undefined ? text === before : text.startsWith(before) && text.endsWith(after))
      return (language === 'sw' ? inSwahili : inFrench).replace(
        '#',
        text.slice(before.length, text.length - (after ?? '').length),
      )
  }
  return text
}

const catalogue = { en: english, sw, fr }
type Language = keyof typeof catalogue

/** The texts of a page, and how it writes amounts and times. */
export interface Speech {
  readonly language: Language
  readonly words: Words
  /** Formats minor units with the code of the currency. */
  money(minor: number, currency: string): string
  /** Formats a time as hours and minutes with the offset of the country. */
  time(at: number): string
}

const tags = (header: string) =>
  header
    .split(',', 20)
    .map((entry) => ({
      language: /^[a-z]+/i.exec(entry.trim())?.[0].toLowerCase() ?? '',
      q: Number(/;\s*q=([\d.]+)/.exec(entry)?.[1] ?? 1),
    }))
    .filter(({ language, q }) => language !== '' && q > 0)
    .toSorted((a, b) => b.q - a.q)

/** Returns the reason in the payer's words; rows of imports may have the reason of a payout. */
export const reasonText = (words: Words, reason: Reason | null): string =>
  reason === null
    ? ''
    : ((words.reasons as { readonly [R in Reason]?: string })[reason] ?? reasons[reason].text)

/** Chooses the language by `Accept-Language`, otherwise by the country of the payment. */
export function speechOf(c: Context, { country }: TransactionRow): Speech {
  const accepted = tags((c.req.header('accept-language') ?? '').slice(0, 1_000))
  const wanted = accepted.find(({ language }) => Object.hasOwn(catalogue, language))?.language
  const language = (wanted ?? (country === 'TZ' && accepted.length === 0 ? 'sw' : 'en')) as Language
  const locale = `${language}-${country || 'KE'}`
  return {
    language,
    words: catalogue[language],
    money(minor, currency) {
      const digits = digitsOf(currency)
      const format = new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay: 'code',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })
      return format.format(minor / 10 ** digits).replace(/\u00a0/g, ' ')
    },
    time(at) {
      const offset = utcOffset(country)
      return `${new Date(at + offset).toISOString().slice(11, 16)} UTC+${offset / 3_600_000}`
    },
  }
}
