/** Scripts that run in the pages whose buttons are pressed; their policies let no text run as code, so that the browser injects them. */

/** Counts what a press brings about, before any script of the page runs. */
export const watch = `(() => {
  const seen = (globalThis.pressed = { effects: 0, copied: [] })
  const count = () => { seen.effects += 1 }
  for (const type of ['invalid', 'toggle', 'select', 'scroll', 'fullscreenchange', 'beforeprint'])
    addEventListener(type, count, { capture: true, passive: true })
  const { clipboard } = navigator
  if (clipboard) clipboard.writeText = async (text) => (count(), void seen.copied.push(text))
  globalThis.open = () => (count(), null)
  globalThis.print = count
  // Text of a clock, and what the page says of its own reading, change without a press.
  const counts = ({ type, target, attributeName }) =>
    !(attributeName === 'data-reading' || (target.parentElement ?? target).closest?.('time, .clock'))
  new MutationObserver((list) => { if (list.some(counts)) count() })
    .observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
})()`

export interface Found {
  /** What it is and where, without what differs between rows of a list. */
  readonly key: string
  /** Its place among the elements of \`PRESSABLE\`. */
  readonly nth: number
  /** Whether it is shown on every page of its application. */
  readonly isFrame: boolean
  readonly inDialog: boolean
  /** Whether it is what was chosen among several, so that to press it again changes nothing. */
  readonly isChosen: boolean
}

export const PRESSABLE =
  'button, [role="button"], input:is([type="submit"], [type="button"], [type="reset"]), summary, [role="tab"], [role="switch"], [role="menuitem"]'

/** Everything in the page that can be pressed now. */
export const listPressable = `(() => {
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
  const dialogs = [...document.querySelectorAll('dialog[open], [role="dialog"], [popover]:popover-open')]
  const top = dialogs.at(-1)
  return [...document.querySelectorAll(${JSON.stringify(PRESSABLE)})].flatMap((element, nth) => {
    if (element.matches(':disabled, [aria-disabled="true"]') || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
    const box = element.getBoundingClientRect()
    if (box.width === 0 || box.height === 0 || element.closest('[inert]')) return []
    if (top?.matches(':modal') && !top.contains(element)) return []
    // The viewer of the reference is another project's, and has a suite of its own (test/viewer).
    if (element.closest('.scalar-app')) return []
    const row = element.closest(REPEATED)
    const name = row && !element.closest('nav') ? element.className : words(element)
    return [{
      key: placeOf(element) + ' ' + element.tagName.toLowerCase() + ' "' + name + '"' + (row ? ' of a row' : ''),
      nth,
      isFrame: !element.closest('main, dialog, [role="dialog"]'),
      inDialog: Boolean(top?.contains(element)),
      isChosen: element.matches('[aria-pressed="true"], [aria-selected="true"], [aria-checked="true"], [aria-current]'),
    }]
  })
})()`

/** Addresses of this sandbox that the page has, in links, in fields and in its text. */
export const listAddresses = `(() => {
  const texts = [document.body.innerText, ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value)]
  return {
    links: [...document.links].map(({ href }) => href),
    texts: texts.flatMap((text) => text.match(/https?:\\/\\/[^\\s"'<>\\\\)]+/g) ?? []),
  }
})()`

/** Fills what is empty in the form of the button at a place, as its labels ask; what they do not tell gets something plausible. */
export const fillForm = (nth: number, fields: { readonly [name: string]: string }) => `(() => {
  const fields = ${JSON.stringify(fields)}
  const form = document.querySelectorAll(${JSON.stringify(PRESSABLE)})[${nth}]?.form
  if (!form) return
  const byType = { email: 'payer@example.com', tel: '0712345678', url: 'https://shop.example/callback', number: '5',
    date: '2027-01-01', time: '10:00', 'datetime-local': '2027-01-01T10:00' }
  for (const input of form.elements) {
    if (!/^(INPUT|TEXTAREA|SELECT)$/.test(input.tagName) || input.disabled || input.readOnly) continue
    if (input.value && !(input.autocomplete in fields)) continue
    if (/^(checkbox|radio|file|search|hidden)$/.test(input.type)) continue
    const label = [...input.labels ?? []].map((each) => each.innerText).join(' ') + ' ' + input.name
    const value = input.tagName === 'SELECT' ? [...input.options].find((each) => each.value && !each.disabled)?.value :
      fields[input.autocomplete] ?? (/token/i.test(label) ? fields.token : undefined) ?? byType[input.type] ?? (input.placeholder || 'Example')
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value').set.call(input, value ?? '')
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
  }
})()`

/** Whether the page has read what it reads, and did not change for two pictures. */
export const isQuiet = `(async () => {
  const rests = () => (document.querySelector('#app')?.dataset.reading ?? '0') === '0' && !document.querySelector('[aria-busy="true"]')
  const { effects } = globalThis.pressed
  for (let n = 0; n < 2; n++) {
    if (!rests()) return false
    await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))
  }
  return rests() && globalThis.pressed.effects === effects
})()`
