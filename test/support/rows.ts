import type { View } from '../../src/storage/store/change.ts'
import type { Row, SmallTable, TableName } from '../../src/storage/store/tables.ts'

/** Every row of any table: tests have few. */
export const every = <Name extends TableName>(rows: View, table: Name): readonly Row<Name>[] =>
  rows.all(table as unknown as SmallTable) as unknown as readonly Row<Name>[]
