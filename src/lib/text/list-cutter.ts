/** Reads the lists of a JSON document item by item, while the document arrives. */

/** Receives the parts of a document while it is read. */
export interface CutLists {
  /** A list begins; it replaces an earlier list of the same name, as in any JSON. */
  list(name: string): void
  item(value: unknown): void
}

const setOf = (signs: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => +signs.includes(String.fromCharCode(code)))
const OUTSIDE_TEXT = setOf('"{}[],:')
const IN_TEXT = setOf('"\\')

interface CutOptions {
  /** Maximum characters outside of the lists, and of an item. */
  readonly around: number
  readonly item: number
  /** Parses an item, or the rest of the document. @throws {SyntaxError} for invalid JSON */
  readonly parse?: (json: string, path?: string[]) => unknown
}

/** Depth of a list in the field: within the document, the field and the list. */
const LIST = 3

/**
 * Splits a JSON document that arrives in pieces: parses the items of the lists in one field one by one, such as
 * `{"rows": {"a": [item, item], "b": [item]}}`, and everything else at the end. No step takes longer than its piece and
 * the item that ends in it.
 */
export class ListCutter {
  readonly #field: string
  readonly #told: CutLists
  readonly #most: CutOptions
  readonly #parse: (json: string, path?: string[]) => unknown
  /** The document, with a single 0 in place of the items of each list. */
  #around = ''
  /** The item that has begun; undefined outside of the lists. */
  #item: string | undefined
  /** Whether the item has only white space so far. */
  #isBlank = false
  #items = 0
  #depth = 0
  #inText = false
  #escaped = false
  /** Where the last text begins in `around`, whether a colon came after it, and the open names of levels 1 and 2. */
  #text = 0
  #afterColon = false
  readonly #names = ['', '', '']
  /** Where the next characters are, and the last item began. */
  #line = 1
  #column = 1
  #begun = { line: 1, column: 1 }

  /** @param field - the field that contains the lists */
  constructor(field: string, told: CutLists, most: CutOptions) {
    this.#field = field
    this.#told = told
    this.#most = most
    this.#parse = most.parse ?? ((json) => JSON.parse(json))
  }

  /** The line and column of the item that was parsed last, or is being read. */
  get place(): { readonly line: number; readonly column: number } {
    return this.#begun
  }

  /** @throws {SyntaxError} for invalid JSON, RangeError for parts that are too long */
  write(piece: string): void {
    let kept = 0
    let at = this.#escaped ? 1 : 0
    const keepTo = (end: number) => {
      this.#keep(piece.slice(kept, end))
      kept = end
    }
    while (at < piece.length) {
      const signs = this.#inText ? IN_TEXT : OUTSIDE_TEXT
      while (at < piece.length && !signs[piece.charCodeAt(at)]) at += 1
      if (at === piece.length) break
      const place = at
      const sign = piece[place]!
      at += sign === '\\' ? 2 : 1
      if (this.#inText) {
        this.#inText = sign !== '"'
        continue
      }
      const endsItem = this.#item !== undefined && this.#depth === LIST && ',]}'.includes(sign)
      if (endsItem || this.#item === undefined) keepTo(endsItem || sign === '"' ? place : at)
      if (endsItem) this.#endItem(sign)
      if (endsItem && sign === ',') {
        kept = at
        this.#column += 1
      }
      this.#follow(sign)
    }
    keepTo(piece.length)
    this.#escaped = at > piece.length
  }

  /**
   * Returns the document without the items.
   * @throws {SyntaxError}
   */
  end(): unknown {
    return this.#parse(this.#around)
  }

  #keep(text: string): void {
    const { around, item } = this.#most
    const begins = this.#isBlank ? text.search(/\S/) : -1
    if (begins >= 0) {
      this.#pass(text.slice(0, begins))
      this.#begun = { line: this.#line, column: this.#column }
      this.#isBlank = false
    }
    this.#pass(text.slice(Math.max(begins, 0)))
    if (this.#item === undefined) this.#around += text
    else this.#item += text
    if (this.#around.length > around)
      throw new RangeError(`the text around ${this.#field} is over ${around} characters`)
    if (this.#item && this.#item.length > item)
      throw new RangeError(`an item of ${this.#field}.${this.#names[2]} is over ${item} characters`)
  }

  #pass(text: string): void {
    let last = -1
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      this.#line += 1
      last = at
    }
    this.#column = last < 0 ? this.#column + text.length : text.length - last
  }

  /** Tracks the document far enough to recognize the beginning and the end of a list in the field. */
  #follow(sign: string): void {
    if (sign === '"') {
      this.#inText = true
      if (this.#item === undefined) this.#text = this.#around.length
    } else if (sign === ':' && this.#item === undefined && this.#depth > 0 && this.#depth < LIST) {
      const text = this.#around.slice(this.#text, this.#around.lastIndexOf('"') + 1)
      this.#names[this.#depth] = JSON.parse(text || '""') as string
    } else if (sign === '{' || sign === '[') {
      this.#depth += 1
      const isList = sign === '[' && this.#depth === LIST && this.#afterColon
      if (isList && this.#item === undefined && this.#names[1] === this.#field) {
        this.#told.list(this.#names[2]!)
        this.#item = ''
        this.#isBlank = true
        this.#items = 0
      }
    } else if (sign === '}' || sign === ']') this.#depth -= 1
    this.#afterColon = sign === ':'
  }

  /** @param sign - the comma or bracket after the item, of which an empty list has none */
  #endItem(sign: string): void {
    const item = this.#item!
    const isNone = /^[ \t\r\n]*$/.test(item)
    // Let JSON.parse report the error.
    if (sign === '}' || (isNone && (sign === ',' || this.#items > 0)))
      JSON.parse(`${this.#around}${item}${sign}`)
    if (!isNone) this.#told.item(this.#parse(item, [this.#field, this.#names[2]!]))
    if (!isNone && this.#items === 0) this.#around += '0'
    this.#items += 1
    this.#item = sign === ',' ? '' : undefined
    this.#isBlank = sign === ','
  }
}
