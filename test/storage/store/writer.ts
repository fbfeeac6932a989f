/** A process for tests: changes the file given on the command line in a loop and prints what was acknowledged. */
import { every } from '../../support/rows.ts'
import { writeSync } from 'node:fs'
import { createStore } from '../../../src/storage/store/low-store.ts'
import { transaction } from './rows.ts'

/** Prints synchronously, so that a kill loses no line; waits for a full pipe. */
function say(line: string): void {
  for (;;)
    try {
      print(`${line}\n`)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
}

const [path, rounds = '1000000', at_once = '8'] = process.argv.slice(2)
const store = await createStore({ path })
let last = 0
/** Waits for a full pipe. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
const one = async (id: number) => {
  try {
    await store.change('demo', (change) => {
      change.insert('transactions', transaction(id))
      change.put('counters', { name: 'transaction', value: id })
      change.insert('postings', {
        id,
        at: 0,
        kind: 'test',
        currency: 'KES',
        transaction_id: id,
        lines: [],
      })
    })
    say(String(id))
  } catch (error) {
    say(`refused ${id}: ${(error as Error).message}`)
  }
}
for (let round = 0; round < Number(rounds); round += 1) {
  await Promise.all(Array.from({ length: Number(at_once) }, () => one((last += 1))))
}
await Promise.resolve(store.read('demo', (view) => every(view, 'counters'))).catch((error: Error) => {
  say(`unreadable: ${error.message}`)
})
// As after a kill, nothing is closed.
process.exit(0)
