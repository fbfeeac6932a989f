import { describe, expect, it } from 'vitest'
import { readCard } from '../../src/service/domain/cards.ts'
import { speechOf } from '../../src/pages/checkout/speech.ts'
import { browserOf, waiting } from '../support/checkout.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { press: send } = browserOf(sandbox)

const read = async (path: string, language?: string) => {
  const headers = { accept: 'text/html', ...(language !== undefined && { 'accept-language': language }) }
  return (await sandbox.fetch(new Request(`http://sandbox.test${path}`, { headers }))).text()
}

describe('the language of a payment page', () => {
  it.each([
    ['sw-KE,sw;q=0.9,en;q=0.8', 'sw', 'Lipa KES 1,000.00', 'Nambari ya kadi'],
    ['de, fr-FR;q=0.7, en;q=0.3', 'fr', 'Payer 1\u202f000,00 KES', 'Numéro de carte'],
    ['de', 'en', 'Pay KES 1,000.00', 'Card number'],
    ['fr;q=0, *', 'en', 'Pay KES 1,000.00', 'Card number'],
    [undefined, 'en', 'Pay KES 1,000.00', 'Card number'],
  ])('follows Accept-Language %s', async (header, language, button, label) => {
    const { path } = await waiting(world())
    const text = await read(path, header)
    expect(text).toContain(`<html lang="${language}-KE">`)
    expect(text).toContain(button)
    expect(text).toContain(label)
  })

  it.each([
    ['TZ', undefined, 'sw'],
    ['TZ', 'en-GB', 'en'],
    ['ZM', undefined, 'en'],
  ])('of a payment in %s with Accept-Language %s is %s', (country, header, language) => {
    const c = { req: { header: () => header } }
    expect(speechOf(c as never, { country } as never).locale).toBe(`${language}-${country}`)
  })

  it.each(['sw', 'fr'])('translates every fault of a card to %s', (header) => {
    const { words } = speechOf({ req: { header: () => header } } as never, { country: 'KE' } as never)
    const typed = [
      { number: '', expiry: '', cvc: '', name: 'x'.repeat(300) },
      { number: 'x', expiry: '13/30', cvc: 'x' },
      { number: '4', expiry: '01/20', cvc: '1' },
      { number: '4242424242424241', expiry: '12/30', cvc: '1' },
      { number: '4242424242424242', expiry: '12/30', cvc: '1' },
    ]
    const faults = typed.flatMap((each) => Object.values(readCard(each, Date.parse('2026-06-13')).faults))
    expect(new Set(faults).size).toBeGreaterThanOrEqual(9)
    for (const fault of faults) {
      expect(words.fault(fault)).not.toBe(fault)
      expect(words.fault(fault)).not.toContain('#')
    }
  })
})

describe('the code of 3-D Secure', () => {
  it('is asked again when it is wrong', async () => {
    const { path } = await waiting(world())
    await send(path, 'action=pay&number=4000002500003155&expiry=12/30&cvc=123&name=A')
    const bank = `${path}/bank`
    expect((await send(bank, 'action=pass&code=000000')).headers.get('location')).toBe(`${bank}?wrong`)
    expect(await read(`${bank}?wrong`)).toMatch(/The code is wrong\..*You have 2 more tries\./s)
    expect((await send(bank, 'action=resend')).headers.get('location')).toBe(`${bank}?sent`)
    expect(await read(`${bank}?sent`)).toContain('Sent again.')
    expect((await send(bank, 'action=pass&code=123+456')).headers.get('location')).toBe(path)
    expect(await read(path)).toContain('<strong>Paid</strong>')
  })

  it('fails the challenge when it is wrong three times', async () => {
    const { path } = await waiting(world())
    await send(path, 'action=pay&number=4000002500003155&expiry=12/30&cvc=123&name=A')
    const bank = `${path}/bank`
    const wrong = async () => (await send(bank, 'action=pass&code=000000')).headers.get('location')
    expect([await wrong(), await wrong(), await wrong()]).toEqual(
      Array.from({ length: 3 }, () => `${bank}?wrong`),
    )
    expect((await sandbox.fetch(new Request(`http://sandbox.test${bank}`))).status).toBe(303)
    expect(await read(path)).toContain('Your bank did not confirm the payment.')
  })
})
