import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare, learn } from '../../src/fidelity/library.ts'
import { readOverlay } from '../../src/fidelity/overlay.ts'
import { createSandbox } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'

const head = `observed: 2026-11-23
evidence: { file: session.har, entries: 4, sha256: abc }
`
const payment = {
  amount: 1000,
  phone_number: '254712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  external_reference: 'order-1',
}

describe('an overlay', () => {
  const issue = (text: string) =>
    readOverlay(head + text, 'observed.yaml').then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('is refused with file, line, column and the nearest name', async () => {
    expect(await issue('operations:\n  createCollecton: {}\n')).toBe(
      'observed.yaml:4:3: "createCollecton" is not an operation of this version (did you mean createCollection?)',
    )
    expect(
      await issue(
        "operations:\n  createCollection:\n    responses:\n      '201':\n        - remove: [refrence]\n          seen: 1\n",
      ),
    ).toBe('observed.yaml:7:20: "refrence" is not a field of createCollection 201 (did you mean reference?)')
    expect(
      await issue('operations:\n  createCollection:\n    settle_after: { median: soon, p95: 1s, seen: 1 }\n'),
    ).toMatch(/^observed\.yaml:5:29: "soon" is not a duration/)
    expect(await issue('operatons: {}\n')).toMatch(/^observed\.yaml:3:1: .*operations/)
    expect(
      await issue("operations:\n  createCollection:\n    responses:\n      '299':\n        - seen: 1\n"),
    ).toContain('does not respond with 299 in this version')
  })

  it('changes statuses, fields, messages and headers of a running sandbox, and shows in /sandbox/provenance', async () => {
    const file = join(temporaryFolder(), 'observed.yaml')
    await writeFile(
      file,
      `${head}operations:
  createCollection:
    responses:
      '201':
        - status: 202
          rename: { CheckoutRequestID: checkout_id }
          add: { merchant_reference: '{reference}' }
          headers: { add: { x-request-id: 'req-######' } }
          seen: 4
      '400':
        - message: { from: 'phone_number must be *, got "*"', to: 'Invalid phone {2}' }
          status: 422
          seen: 2
    accept:
      - { message: 'amount must be more than 0*', with: { amount: 10 }, seen: 1 }
    reject:
      - { when: { external_reference: { repeated: true } }, status: 409, body: { error: duplicate }, seen: 1 }
`,
    )
    const sandbox = await createSandbox({ clock: 'frozen', env: { SANDBOX_OBSERVED: file } })
    const pay = async (change: object = {}) => {
      const response = await sandbox.home.fetch('/api/v2/payments', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...payment, ...change }),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      }
    }
    const first = await pay()
    expect(first.status).toBe(202)
    expect(first.body['merchant_reference']).toBe(first.body['reference'])
    expect(Object.keys(first.body)).toContain('checkout_id')
    expect(first.headers.get('x-request-id')).toMatch(/^req-\d{6}$/)
    expect(await pay()).toMatchObject({ status: 409, body: { error: 'duplicate' } })
    expect(await pay({ external_reference: 'order-2', phone_number: '12' })).toMatchObject({
      status: 422,
      body: { error_message: 'Invalid phone 12' },
    })
    expect((await pay({ external_reference: 'order-3', amount: 0 })).status).toBe(202)
    const { body } = await sandbox.fetch('/sandbox/provenance').then(async (response) => ({
      body: (await response.json()) as { entries: { kind: string; name: string; note: string }[] },
    }))
    expect(body.entries.filter(({ kind }) => kind === 'observation').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Observed.createCollection.201', 'Observed.createCollection.accept']),
    )
    const world = await sandbox.world({ settings: { observed: '' } })
    const plain = await world.call('createCollection', { body: payment })
    expect(plain.CheckoutRequestID).toBeDefined()
    const wrong = { observed: `${head}operations: { createColection: {} }` }
    const message =
      'observed:3:15: operations.createColection: "createColection" is not an operation of this version (did you mean createCollection?)'
    await expect(world.configure(wrong)).rejects.toThrow(message)
    // An imported world may come from another version.
    const fitting = `${head}operations: { createCollection: { callback: { remove: [status], seen: 3 } } }`
    await world.configure({ observed: fitting })
    const exported = await world.export()
    const changed = JSON.parse(JSON.stringify(exported).replaceAll('createCollection', 'createColection'))
    await expect(world.import(changed)).rejects.toThrow('operations.createColection')
    await world.import(exported)
    await sandbox.close()
  })
})

it('learns references that are UUIDs, for the direction that has them', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' })
  const service = await sandbox.world({ settings: { generation: 'previous' } })
  for (const reference of ['one', 'two']) {
    await service.pay({ reference })
    await service.payOut({ reference: `${reference}-out` })
  }
  await service.settle()
  const file = join(temporaryFolder(), 'session.har')
  await writeFile(file, JSON.stringify(await service.requests.har()))
  const { overlay, not_expressed } = await learn(file)
  expect(overlay).toMatch(/^references:\n {2}form: uuid\n {2}direction: payin\n/m)
  expect(not_expressed).toEqual([])
  expect((await compare(file, { observed: overlay })).differences).toEqual([])
  const learned = await sandbox.world({ settings: { observed: overlay } })
  const { reference } = await learned.call('createCollection', { body: payment })
  expect(reference).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
  await sandbox.close()
})
