/* Callbacks into a handler of (req, res) in the same process, as CommonJS: no port is opened. */
const { createSandbox } = require('payments-sandbox')
const { matchers } = require('payments-sandbox/matchers')
const { toFetch } = require('payments-sandbox/receivers')

expect.extend(matchers)

/** What a shop with a payment's callbacks may look like; Express is called the same way. */
const results = []
let failing = 0
const shop = (request, response) => {
  let body = ''
  request.on('data', (text) => (body += text))
  request.on('end', () => {
    if (failing-- > 0) return response.writeHead(500).end()
    results.push(JSON.parse(body).status)
    response.writeHead(204).end()
  })
}

let sandbox, world
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': toFetch(shop) } })
})
afterAll(() => sandbox.close())
beforeEach(async () => {
  world = await sandbox.world()
  results.length = 0
})

const pay = async () => {
  const body = {
    amount: 100,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: 'order-1',
    callback_url: 'https://shop.test/callbacks',
  }
  await world.call('createCollection', { body })
  await world.settle()
}

test('the result arrives', async () => {
  await pay()
  expect(results).toEqual(['success'])
})

test('a shop that fails twice is called a third time', async () => {
  failing = 2
  await pay()
  expect(results).toEqual(['success'])
  const [{ attempts }] = await world.callbacks.waitFor({ reference: 'order-1' })
  expect(attempts.map(({ response: answer }) => answer.status)).toEqual([500, 500, 204])
  await expect(world).toHaveDelivered({ body: { amount: 100 } })
})
