import { RowIndex } from './key-index.ts'
import type { Key } from './tables.ts'
import { SlotList, TextIndex } from './text-index.ts'

/** What a look-up says of a row: one value, several, or none because there is no row. */
type Values = Key | readonly Key[] | undefined

/** The rows of a table by their slots. */
export interface RowsAt<Row> {
  at(slot: number): Row | undefined
}

/** From a look-up's value to the slots of the rows under it, oldest row first. */
export class LookupIndex<Row> {
  readonly name: string
  readonly #valuesOf: (row: Row) => Key | readonly Key[]
  readonly #rows: RowsAt<Row>
  #byText: TextIndex | undefined
  /** Ids of rows that others belong to are mostly given out one after another. */
  #byNumber: RowIndex<number | SlotList> | undefined

  /** @param valuesOf what the look-up says of a row */
  constructor(name: string, valuesOf: (row: Row) => Key | readonly Key[], rows: RowsAt<Row>) {
    this.name = name
    this.#valuesOf = valuesOf
    this.#rows = rows
  }

  slots(value: Key): readonly number[] {
    return this.page(value, 0, Infinity)
  }

  /** How many rows a value has. */
  count(value: Key): number {
    const held = this.#held(value)
    if (held === undefined) return 0
    return typeof held === 'object' ? held.length : 1
  }

  /** The slots under a value from one place to before another, oldest row first. */
  page(value: Key, start: number, end: number): readonly number[] {
    const held = this.#held(value)
    if (held === undefined) return []
    return typeof held === 'object' ? held.slice(start, end) : [held].slice(start, end)
  }

  /** Moves a row, written already, from the values it had to those it has; empty strings and repeats are left out. */
  replace(slot: number, before: Row | undefined, after: Row | undefined): void {
    const lost = before && this.#valuesOf(before)
    const got = after && this.#valuesOf(after)
    if (lost === got) return
    const had = listOf(lost)
    const has = listOf(got)
    for (let i = 0; i < had.length; i += 1) {
      const value = had[i]!
      if (value !== '' && !has.includes(value) && had.indexOf(value) === i) this.#delete(value, slot)
    }
    for (let i = 0; i < has.length; i += 1) {
      const value = has[i]!
      if (value !== '' && !had.includes(value) && has.indexOf(value) === i) this.#add(value, slot)
    }
  }

  /** Follows a row from one slot to another; no row under one of its values lies between. */
  move(row: Row, from: number, to: number): void {
    const all = listOf(this.#valuesOf(row))
    for (let i = 0; i < all.length; i += 1) {
      const value = all[i]!
      if (value !== '' && all.indexOf(value) === i) this.#move(value, from, to)
    }
  }

  #held(value: Key): number | SlotList | undefined {
    return typeof value === 'number' ? this.#byNumber?.get(value) : this.#byText?.get(value)
  }

  #add(value: Key, slot: number): void {
    if (typeof value === 'string') return (this.#byText ??= this.#textIndex()).add(value, slot)
    const byNumber = (this.#byNumber ??= new RowIndex())
    const held = byNumber.get(value)
    if (held === undefined) byNumber.set(value, slot)
    else if (typeof held === 'object') held.add(slot)
    else byNumber.set(value, new SlotList(held < slot ? [held, slot] : [slot, held]))
  }

  #delete(value: Key, slot: number): void {
    if (typeof value === 'string') return this.#byText!.delete(value, slot)
    const held = this.#byNumber!.get(value)
    if (typeof held !== 'object') return this.#byNumber!.delete(value)
    held.delete(slot)
    if (held.length === 1) this.#byNumber!.set(value, held.slice(0, 1)[0]!)
  }

  #move(value: Key, from: number, to: number): void {
    if (typeof value === 'string') return this.#byText!.move(value, from, to)
    const held = this.#byNumber!.get(value)
    if (typeof held === 'object') held.replace(from, to)
    else this.#byNumber!.set(value, to)
  }

  #textIndex(): TextIndex {
    return new TextIndex((slot, text) => {
      const row = this.#rows.at(slot)
      const values = row && this.#valuesOf(row)
      return typeof values === 'object' ? values.includes(text) : values === text
    })
  }
}

const NONE: readonly Key[] = []

function listOf(values: Values): readonly Key[] {
  if (values === undefined) return NONE
  return typeof values === 'object' ? values : [values]
}
