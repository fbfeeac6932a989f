/**
 * The shop as a program, careful or with the fault of a check:
 *
 *     npx tsx test/certify/shop/server.ts --port 3000 --sandbox http://127.0.0.1:8080 --store shop.json [--mutant RCV-11]
 *
 * `API_USER` and `API_PASSWORD` are its key, `SIGNING_SECRET` is what its callbacks are signed with.
 */
import { parseArgs } from 'node:util'
import { isCheckId } from '../../../src/certify/check-ids.ts'
import { serverOf } from '../../../src/callbacks/receivers/receivers.ts'
import { careful } from './habits.ts'
import { mutants } from './mutants.ts'
import { createShop } from './shop.ts'
import { fileStore } from './store.ts'

/** That of the world `demo`, which is public. */
const DEMO_SECRET = 'whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ='

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    sandbox: { type: 'string', default: 'http://127.0.0.1:8080' },
    store: { type: 'string' },
    mutant: { type: 'string' },
  },
})
const { API_USER = 'demo', API_PASSWORD = 'demo', SIGNING_SECRET = DEMO_SECRET } = process.env
const own = `http://127.0.0.1:${values.port}`
const { mutant = '' } = values
if (mutant && !isCheckId(mutant)) throw new Error(`there is no check ${mutant}`)

const shop = createShop({
  account: {
    baseUrl: values.sandbox,
    authorization: `Basic ${Buffer.from(`${API_USER}:${API_PASSWORD}`).toString('base64')}`,
    callbackUrl: `${own}/callback`,
  },
  secrets: SIGNING_SECRET.split(' '),
  ...(values.store && { store: fileStore(values.store) }),
  ...(isCheckId(mutant) && { habits: mutants[mutant].habits?.(careful) ?? {} }),
})
serverOf(own, shop.fetch).listen(Number(values.port), '127.0.0.1', () => console.log(`a shop at ${own}`))
