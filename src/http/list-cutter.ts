import { withoutNul } from './read-request.ts'

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN = 123
const CLOSE = 125

/** Receives the parts of a document while it is read. */
export interface CutLists {
  /** A list begins; it replaces an earlier list of the same name, as in any JSON. */
  list(name: string): void
  item(value: unknown): void
}

type Mode = 'around' | 'list' | 'item'

/**
 * Splits a JSON document that arrives in pieces: parses the items of the lists in one field one by one, such as
 * `{"rows": {"a": [item, item], "b": [item]}}`, and everything else at the end. No step takes longer than its piece and
 * the item that ends in it.
 */
export class ListCutter {
  readonly #field: string
  readonly #told: CutLists
  readonly #most: { readonly around: number; readonly item: number }
  #mode: Mode = 'around'
  /** The document, with a 0 in place of the items of each list. */
  #around = ''
  #item = ''
  /** Open objects and lists, in `around` or in the item. */
  #depth = 0
  #inText = false
  #escaped = false
  /** What the current list contains so far: nothing, an item, or an item and a comma. */
  #before: '' | '0' | '0,' = ''
  /** The last complete text, the open field of the document, and whether a colon came last. */
  #lastText = ''
  #open = ''
  #name = ''
  #afterColon = false

  /**
   * @param field - the field that contains the lists
   * @param most - maximum characters outside of the lists, and of an item
   */
  constructor(field: string, told: CutLists, most: { readonly around: number; readonly item: number }) {
    this.#field = field
    this.#told = told
    this.#most = most
  }

  /** @throws {SyntaxError} for invalid JSON, RangeError for parts that are too long */
  write(piece: string): void {
    for (let at = 0; at < piece.length;) {
      if (this.#mode === 'around') at = this.#takeAround(piece, at)
      else if (this.#mode === 'list') at = this.#takeList(piece, at)
      else at = this.#takeItem(piece, at)
    }
  }

  /**
   * Returns the document without the items.
   * @throws {SyntaxError}
   */
  end(): unknown {
    if (this.#mode !== 'around') JSON.parse(this.#around + this.#before + this.#item)
    return withoutNul(this.#around)
  }

  #takeAround(piece: string, from: number): number {
    let textFrom = from
    let at = from
    while (at < piece.length && this.#mode === 'around') {
      const char = piece.charCodeAt(at++)
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false
        else if (char === BACKSLASH) this.#escaped = true
        else if (char === QUOTE) {
          this.#inText = false
          this.#lastText += piece.slice(textFrom, at)
        }
      } else if (char === QUOTE) {
        this.#inText = true
        this.#lastText = ''
        textFrom = at - 1
        this.#afterColon = false
      } else if (!isSpace(char)) this.#punctuation(char)
    }
    if (this.#inText) this.#lastText += piece.slice(textFrom, at)
    this.#around += piece.slice(from, at)
    if (this.#around.length > this.#most.around)
      throw new RangeError(`the text around ${this.#field} is over ${this.#most.around} characters`)
    return at
  }

  /** Tracks the document far enough to recognize the beginning of a list in the field. */
  #punctuation(char: number): void {
    if (char === COLON) {
      if (this.#depth === 1) this.#open = JSON.parse(this.#lastText || '""') as string
      if (this.#depth === 2) this.#name = JSON.parse(this.#lastText || '""') as string
    } else if (char === OPEN || char === OPEN_LIST) {
      const inField = this.#depth === 2 && this.#open === this.#field && this.#afterColon
      if (char === OPEN_LIST && inField) return this.#beginList()
      this.#depth += 1
    } else if (char === CLOSE || char === CLOSE_LIST) this.#depth -= 1
    this.#afterColon = char === COLON
  }

  #beginList(): void {
    this.#told.list(this.#name)
    this.#mode = 'list'
    this.#before = ''
  }

  #takeList(piece: string, from: number): number {
    const char = piece.charCodeAt(from)
    if (isSpace(char)) return from + 1
    if (char === CLOSE_LIST && this.#before !== '0,') {
      this.#around += `${this.#before}]`
      this.#mode = 'around'
      this.#afterColon = false
      return from + 1
    }
    if (char === COMMA && this.#before === '0') {
      this.#before = '0,'
      return from + 1
    }
    // Let JSON.parse report the error.
    if (char === CLOSE_LIST || char === COMMA || this.#before === '0')
      JSON.parse(`${this.#around}${this.#before}${piece[from]}`)
    this.#mode = 'item'
    this.#item = ''
    this.#depth = 0
    return from
  }

  #takeItem(piece: string, from: number): number {
    let at = from
    let ended = false
    while (at < piece.length && !ended) {
      const char = piece.charCodeAt(at)
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false
        else if (char === BACKSLASH) this.#escaped = true
        else if (char === QUOTE) {
          this.#inText = false
          ended = this.#depth === 0
        }
      } else if (char === QUOTE) this.#inText = true
      else if (char === OPEN || char === OPEN_LIST) this.#depth += 1
      else if (this.#depth === 0) {
        // A number or a word ends before the next delimiter.
        if (char === COMMA || char === CLOSE_LIST || char === CLOSE || isSpace(char)) break
      } else if (char === CLOSE || char === CLOSE_LIST) {
        this.#depth -= 1
        ended = this.#depth === 0
      }
      at += 1
    }
    this.#item += piece.slice(from, at)
    if (this.#item.length > this.#most.item)
      throw new RangeError(`an item of ${this.#field}.${this.#name} is over ${this.#most.item} characters`)
    if (ended || at < piece.length) this.#endItem()
    return at
  }

  #endItem(): void {
    this.#told.item(withoutNul(this.#item, [this.#field, this.#name]))
    this.#item = ''
    this.#mode = 'list'
    this.#before = '0'
    this.#depth = 2
  }
}

const isSpace = (char: number) => char === 32 || char === 10 || char === 13 || char === 9
