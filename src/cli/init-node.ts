/** What `init` writes for JavaScript. */
import type { Language, Project } from './init-files.ts'

const NODE_SETUP = `      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci`

const INSTALL_NODE =
  'npm install --save-dev PATH/payments-sandbox-0.1.0.tgz   (npm pack in a checkout of the sandbox makes the file)'

/** Returns code as an ES module, or as a CommonJS module. */
const asModule = (code: string, isModule: boolean) =>
  isModule
    ? code
    : code
        .replace(/^import (\{[^}]*\}|\w+) from '([^']+)'$/gm, "const $1 = require('$2')")
        .replace(/^export function (\w+)/gm, 'exports.$1 = $1\nfunction $1')

/** The clock of the shop, not of the sandbox. */
const NOW = ['Date', 'now()'].join('.')

const RECEIVER_JS = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds that a callback may be old or ahead of time. */
const TOLERANCE = 300
/** Maximum size of a callback in bytes. */
const LIMIT = 65_536

/** Returns whether the sandbox signed these bytes with this secret. */
export function isGenuine(secret, headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers
  if (!id || !/^\\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(${NOW} / 1000 - Number(timestamp)) > TOLERANCE) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const hmac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64')
  const expected = Buffer.from(\`v1,\${hmac}\`)
  return signatures
    .split(' ')
    .map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected))
}

/**
 * Returns a listener for callbacks. In Express: app.post('/callbacks/payments', createReceiver(…)), before express.json(),
 * because the signature covers the raw bytes.
 * @param onPayment - Called once for each callback, however often it is delivered.
 */
export function createReceiver({ secret, onPayment }) {
  // In production, keep the ids in your database, in the transaction that books the payment.
  const seen = new Set()
  return async (request, response) => {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      if (size > LIMIT) return response.writeHead(413).end()
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    if (!isGenuine(secret, request.headers, body)) return response.writeHead(401).end()
    const id = request.headers['webhook-id']
    if (!seen.has(id)) {
      seen.add(id)
      await onPayment(JSON.parse(body.toString()))
    }
    return response.writeHead(204).end()
  }
}
`

/** Returns the tests. \`EQUAL(a, b)\` stands for the assertion of the runner. */
const testsJs = (imports: string, receiver: string, isExpress: boolean) => `${imports}
import { createReceiver } from './${receiver}'

/** Starts a shop that remembers the status of each order. */
async function startShop(world) {
  const orders = new Map()
  const received = []
  const secret = await world.signatures.secret()
  const onPayment = ({ external_reference, status }) => {
    received.push(external_reference)
    orders.set(external_reference, status)
  }
  const receiver = createReceiver({ secret, onPayment })
  const server = createServer(${isExpress ? "express().post('/callbacks/payments', receiver)" : 'receiver'}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callbackUrl = \`127.0.0.1:\${server.address().port}/callbacks/payments\`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { orders, received, callbackUrl, close }
}

test('an order is paid', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ callbackUrl: shop.callbackUrl })
  await world.settle()
  EQUAL(shop.orders.get(payment.reference), 'success')
  shop.close()
})

test('the payer cancels', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ outcome: 'payer-cancels', callbackUrl: shop.callbackUrl })
  await world.settle()
  EQUAL(shop.orders.get(payment.reference), 'failed')
  shop.close()
})

test('a callback that is delivered twice counts once', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ outcome: 'duplicate-callback', callbackUrl: shop.callbackUrl })
  await world.settle()
  const callback = await world.callback(payment)
  EQUAL(callback.deliveries, 2)
  EQUAL(shop.received.length, 1)
  shop.close()
})
`

const runners = {
  vitest: {
    imports: "import { expect, test } from 'payments-sandbox/vitest'",
    equal: 'expect($1).toBe($2)',
    test: 'npx vitest run payments',
  },
  jest: {
    imports: "import { test } from 'payments-sandbox/jest'",
    equal: 'expect($1).toBe($2)',
    test: 'npx jest payments',
  },
  'node-test': {
    imports: "import assert from 'node:assert/strict'\nimport { test } from 'payments-sandbox/node-test'",
    equal: 'assert.equal($1, $2)',
    test: '',
  },
}

export function nodeFiles({ kind, framework, isModule }: Project): Language {
  const { imports, equal, test } = runners[kind as keyof typeof runners]
  // Jest runs CommonJS; the others run ES modules.
  const isEs = kind !== 'jest'
  const extension = isEs === isModule ? 'js' : isEs ? 'mjs' : 'cjs'
  const isExpress = framework === 'express'
  const all = [
    ...(isExpress ? ["import express from 'express'"] : []),
    "import { once } from 'node:events'",
    "import { createServer } from 'node:http'",
    imports,
  ].join('\n')
  const text = testsJs(all, `receiver.${extension}`, isExpress).replace(/EQUAL\((.+), (.+)\)/g, equal)
  const file = `payments/payments.test.${extension}`
  return {
    own: [
      { path: `payments/receiver.${extension}`, text: asModule(RECEIVER_JS, isEs) },
      { path: file, text: asModule(text, isEs) },
    ],
    test: test || `node --test ${file}`,
    setup: NODE_SETUP,
    next: [INSTALL_NODE],
  }
}
