/** A process for tests: changes the file named on the command line in a loop and prints what was acknowledged. */
import { writeSync } from 'node:fs'
import { createStore } from '../../src/store/create-store.ts'
import { transaction } from './rows.ts'

const [path, rounds = '1000000', at_once = '8'] = process.argv.slice(2)
const store = await createStore({ path })
let last = 0
const one = async (id: number) => {
  try {
    await store.change('demo', async (change) => {
      await change.insert('transactions', transaction(id))
      await change.put('counters', { name: 'transaction', value: id })
      await change.insert('postings', {
        id,
        at: 0,
        kind: 'test',
        currency: 'KES',
        transaction_id: id,
        lines: [],
      })
    })
    writeSync(1, `${id}\n`)
  } catch (error) {
    writeSync(1, `refused ${id}: ${(error as Error).message}\n`)
  }
}
for (let round = 0; round < Number(rounds); round += 1) {
  await Promise.all(Array.from({ length: Number(at_once) }, () => one((last += 1))))
}
await store
  .read('demo', (view) => view.all('counters'))
  .catch((error: Error) => {
    writeSync(1, `unreadable: ${error.message}\n`)
  })
