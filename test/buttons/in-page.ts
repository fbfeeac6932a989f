/** The script that runs in the pages whose buttons are pressed, before any script of theirs. */

/** A button as it is shown. */
export interface Found {
  /** What it is and where, without what differs between rows of a list. */
  readonly key: string
  /** Whether it is shown on every page of its application. */
  readonly isFrame: boolean
  readonly inDialog: boolean
  /** Whether it is what was chosen among several, so that to press it again changes nothing. */
  readonly isChosen: boolean
}

/** What a page shows, and what happened in it since the last press. */
export interface Sight {
  readonly found: readonly Found[]
  /** Whether something changed since the last press. */
  readonly hasEffect: boolean
  readonly copied: readonly string[]
  /** Addresses in links, and in texts and fields. */
  readonly links: readonly string[]
  readonly texts: readonly string[]
}

const PRESSABLE =
  'button, [role="button"], input:is([type="submit"], [type="button"], [type="reset"]), summary, [role="tab"], [role="switch"], [role="menuitem"]'

/**
 * Frames in which a page has to come to rest. Frames are as slow as the machine, so that a busy one has more time: the page may read
 * for `READING`, and change for `CHANGING` (one whose clock runs fast changes for ever).
 */
const [READING, CHANGING] = [600, 60]

/** Defines `pressed`, which counts what a press brings about and finds buttons. */
export const inPage = `(() => {
  const seen = (globalThis.pressed = { effects: 0, before: 0, asking: 0, copied: [], said: '' })
  const count = () => { seen.effects += 1 }
  for (const type of ['invalid', 'toggle', 'select', 'scroll', 'fullscreenchange', 'beforeprint'])
    addEventListener(type, count, { capture: true, passive: true })
  // What the pointer brings about on its way to the button is not the effect of the press.
  addEventListener('mousedown', () => { seen.before = seen.effects }, { capture: true, passive: true })
  const { clipboard } = navigator
  if (clipboard) clipboard.writeText = async (text) => (count(), void seen.copied.push(text))
  // The browser reports a request later than the page makes it.
  const { fetch } = globalThis
  globalThis.fetch = (...asked) => (seen.asking++, fetch(...asked).finally(() => seen.asking--))
  globalThis.open = () => (count(), null)
  globalThis.print = count
  // Text of a clock, and what the page says of its own reading, change without a press.
  const counts = ({ type, target, attributeName }) =>
    !(attributeName === 'data-reading' || attributeName === 'aria-busy' || (target.parentElement ?? target).closest?.('time, .clock'))
  new MutationObserver((list) => {
    if (list.some(counts)) count()
    // Notices go by themselves.
    for (const each of document.querySelectorAll('[role="status"], [role="alert"]'))
      if (!seen.said.includes(each.innerText)) seen.said = (seen.said + ' ' + each.innerText).slice(-20_000)
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })

  const frame = () => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))
  const words = (element) => (element.ariaLabel || element.innerText || element.value || element.title || '')
    .trim().replace(/\\s+/g, ' ').replace(/\\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\\b|[\\d,.:]+/g, '#').slice(0, 60)
  const REPEATED = 'tr, li, [role="row"], [role="listitem"], [role="option"], article'
  const placeOf = (element) => {
    const names = []
    for (let at = element.parentElement; at && at !== document.body && names.length < 4; at = at.parentElement)
      if (/^(FORM|DIALOG|MAIN|NAV|HEADER|ASIDE|SECTION|TABLE|DETAILS)$/.test(at.tagName))
        names.unshift(at.tagName.toLowerCase() + (at.className ? '.' + String(at.className).split(' ')[0] : ''))
    return names.join('>')
  }
  const list = () => {
    const top = [...document.querySelectorAll('dialog[open], [role="dialog"], [popover]:popover-open')].at(-1)
    return [...document.querySelectorAll(${JSON.stringify(PRESSABLE)})].flatMap((element) => {
      if (element.matches(':disabled, [aria-disabled="true"]') || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      const box = element.getBoundingClientRect()
      if (box.width === 0 || box.height === 0 || element.closest('[inert]')) return []
      if (top?.matches(':modal') && !top.contains(element)) return []
      // The viewer of the reference is another project's, and has a suite of its own (test/viewer).
      if (element.closest('.scalar-app')) return []
      const dialog = element.closest('dialog')
      const nearest = element.closest(REPEATED)
      const row = dialog && !dialog.contains(nearest) ? null : nearest
      // The two that every dialog has are of one component.
      const isWayOut = dialog && /^(Close|Cancel)$/.test(words(element))
      const name = row && !element.closest('nav') ? element.className : words(element)
      return [{
        element,
        key: (isWayOut ? 'dialog' : placeOf(element)) + ' ' + element.tagName.toLowerCase() + ' "' + name + '"' + (row ? ' of a row' : ''),
        isFrame: isWayOut || !element.closest('main'),
        inDialog: Boolean(top?.contains(element)),
        isChosen: element.matches('[aria-pressed="true"], [aria-selected="true"], [aria-checked="true"], [aria-current]'),
      }]
    })
  }

  /** Resolves when the page shows what it has, and did not change for two frames. @param isDone whether it has also read what it is about to read */
  seen.rest = async (isDone) => {
    const isIdle = () => !seen.asking && !document.querySelector('[aria-busy="true"]') && !(isDone && Number(document.querySelector('#app')?.dataset.reading ?? 0))
    let [still, changing] = [0, 0]
    for (let n = 0, { effects } = seen; n < ${READING} && still < 2 && changing < ${CHANGING}; n++) {
      await frame()
      if (!isIdle()) still = 0
      else if (seen.effects === effects) still++
      else [still, changing] = [0, changing + 1]
      effects = seen.effects
    }
  }

  /** What can be pressed, and the addresses of this sandbox that the page has. */
  seen.look = (withAddresses) => ({
    found: list().map(({ element, ...found }) => found),
    hasEffect: seen.effects > seen.before,
    copied: seen.copied.splice(0),
    links: withAddresses ? [...document.links].map(({ href }) => href) : [],
    texts: !withAddresses ? [] :
      [document.body.innerText, ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value)]
        .flatMap((text) => text.match(/https?:\\/\\/[^\\s"'<>\\\\)]+/g) ?? []),
  })

  /** Fills what is empty in a form, as its labels ask; what they do not tell gets something plausible. @returns whether anything was */
  const fill = (form, fields) => {
    const byType = { email: 'payer@example.com', tel: '0712345678', url: 'https://shop.example/callback', number: '5',
      date: '2027-01-01', time: '10:00', 'datetime-local': '2027-01-01T10:00' }
    let isFilled = false
    for (const input of form.elements) {
      if (!/^(INPUT|TEXTAREA|SELECT)$/.test(input.tagName) || input.disabled || input.readOnly) continue
      if (input.value && !(input.autocomplete in fields)) continue
      if (/^(checkbox|radio|file|search|hidden)$/.test(input.type)) continue
      const label = [...input.labels ?? []].map((each) => each.innerText).join(' ') + ' ' + input.name
      const value = input.tagName === 'SELECT' ? [...input.options].find((each) => each.value && !each.disabled)?.value :
        fields[input.autocomplete] ?? (/token/i.test(label) ? fields.token : undefined) ?? byType[input.type] ?? (input.placeholder || 'Example')
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value').set.call(input, value ?? '')
      for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
      isFilled = true
    }
    return isFilled
  }

  /**
   * Returns where to press a button: a point of it that is at rest and not covered, or why there is none. A page that was rendered again has
   * another element, which is found by its name.
   */
  seen.point = async (key, fields) => {
    const find = () => list().find((each) => each.key === key)?.element
    let why = 'is not there'
    const { form } = find() ?? {}
    // What the page reads because of it belongs to it.
    if (form && fill(form, fields)) await seen.rest(true)
    for (let n = 0; n < ${CHANGING}; n++) {
      await frame()
      const element = find()
      if (!element) { why = 'is not there'; continue }
      const before = element.getBoundingClientRect()
      const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2]
      const [left, top] = middle(before)
      if (left < 0 || top < 0 || left > innerWidth || top > innerHeight || n % 10 === 5)
        element.scrollIntoView({ block: n % 20 === 15 ? 'end' : 'center', inline: 'nearest', behavior: 'instant' })
      await frame()
      const [x, y] = middle(element.getBoundingClientRect())
      if (x !== left || y !== top) { why = 'moves'; continue }
      const top1 = document.elementFromPoint(x, y)
      if (element.contains(top1) || top1?.closest('label')?.control === element) return { x, y }
      why = 'is covered by ' + (top1 ? top1.tagName.toLowerCase() + '.' + top1.className : 'nothing')
    }
    return { why }
  }
})()`
