import { exportText } from '../../worlds/saved.ts'
import type { Item } from './items.ts'

/** The JSON of an item in one line, in pieces: rows one by one. */
export function* lineOf(item: Item): Generator<string> {
  if (item.format === 'payments-sandbox-requests') yield JSON.stringify(item)
  else {
    const { rows, ...about } = item
    yield* exportText(about, rows)
  }
  yield '\n'
}
