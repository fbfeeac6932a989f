import { rowsByHand } from './by-hand.ts'
import type { Row } from './row.ts'
import { scenarioRows } from './scenarios.ts'
import { mapRows, wordRows } from './words.ts'

export const rows: readonly Row[] = [
  ...wordRows,
  ...Object.values(mapRows).flat(),
  ...scenarioRows,
  ...rowsByHand,
]
