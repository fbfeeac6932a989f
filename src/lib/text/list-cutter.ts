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
 * @param field - the field that contains the lists
 */
export function createListCutter(field: string, told: CutLists, most: CutOptions) {
  const { parse = (json: string): unknown => JSON.parse(json) } = most
  /** The document, with a single 0 in place of the items of each list. */
  let around = ''
  /** The item that has begun; undefined outside of the lists. */
  let open: string | undefined
  /** Whether the item has only white space so far. */
  let isBlank = false
  let items = 0
  let depth = 0
  let inText = false
  let escaped = false
  /** Where the last text begins in `around`, whether a colon came after it, and the open names of levels 1 and 2. */
  let textStart = 0
  let afterColon = false
  const names = ['', '', '']
  /** Where the next characters are, and the last item began. */
  let line = 1
  let column = 1
  let begun = { line: 1, column: 1 }

  function keep(text: string): void {
    const begins = isBlank ? text.search(/\S/) : -1
    if (begins >= 0) {
      pass(text.slice(0, begins))
      begun = { line, column }
      isBlank = false
    }
    pass(text.slice(Math.max(begins, 0)))
    if (open === undefined) around += text
    else open += text
    if (around.length > most.around)
      throw new RangeError(`the text around ${field} is over ${most.around} characters`)
    if (open && open.length > most.item)
      throw new RangeError(`an item of ${field}.${names[2]} is over ${most.item} characters`)
  }

  function pass(text: string): void {
    let last = -1
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      line += 1
      last = at
    }
    column = last < 0 ? column + text.length : text.length - last
  }

  /** Tracks the document far enough to recognize the beginning and the end of a list in the field. */
  function follow(sign: string): void {
    if (sign === '"') {
      inText = true
      if (open === undefined) textStart = around.length
    } else if (sign === ':' && open === undefined && depth > 0 && depth < LIST) {
      const text = around.slice(textStart, around.lastIndexOf('"') + 1)
      names[depth] = JSON.parse(text || '""') as string
    } else if (sign === '{' || sign === '[') {
      depth += 1
      const isList = sign === '[' && depth === LIST && afterColon
      if (isList && open === undefined && names[1] === field) {
        told.list(names[2]!)
        open = ''
        isBlank = true
        items = 0
      }
    } else if (sign === '}' || sign === ']') depth -= 1
    afterColon = sign === ':'
  }

  /** @param sign - the comma or bracket after the item, of which an empty list has none */
  function endItem(sign: string): void {
    const item = open!
    const isNone = /^[ \t\r\n]*$/.test(item)
    // Let JSON.parse report the error.
    if (sign === '}' || (isNone && (sign === ',' || items > 0))) JSON.parse(`${around}${item}${sign}`)
    if (!isNone) told.item(parse(item, [field, names[2]!]))
    if (!isNone && items === 0) around += '0'
    items += 1
    open = sign === ',' ? '' : undefined
    isBlank = sign === ','
  }

  return {
    /** The line and column of the item that was parsed last, or is being read. */
    get place(): { readonly line: number; readonly column: number } {
      return begun
    },
    /** @throws {SyntaxError} for invalid JSON, RangeError for parts that are too long */
    write(piece: string): void {
      let kept = 0
      let at = escaped ? 1 : 0
      const keepTo = (end: number) => {
        keep(piece.slice(kept, end))
        kept = end
      }
      while (at < piece.length) {
        const signs = inText ? IN_TEXT : OUTSIDE_TEXT
        while (at < piece.length && !signs[piece.charCodeAt(at)]) at += 1
        if (at === piece.length) break
        const place = at
        const sign = piece[place]!
        at += sign === '\\' ? 2 : 1
        if (inText) {
          inText = sign !== '"'
          continue
        }
        const endsItem = open !== undefined && depth === LIST && ',]}'.includes(sign)
        if (endsItem || open === undefined) keepTo(endsItem || sign === '"' ? place : at)
        if (endsItem) endItem(sign)
        if (endsItem && sign === ',') {
          kept = at
          column += 1
        }
        follow(sign)
      }
      keepTo(piece.length)
      escaped = at > piece.length
    },
    /**
     * Returns the document without the items.
     * @throws {SyntaxError}
     */
    end: (): unknown => parse(around),
  }
}
