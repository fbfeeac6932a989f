/** Filters the entries by text and origin, and opens the entry that a link leads to. */
;(() => {
  'use strict'
  const form = document.querySelector('form')
  const search = /** @type {HTMLInputElement} */ (form.elements.namedItem('search'))
  const origin = /** @type {RadioNodeList} */ (form.elements.namedItem('origin'))
  const count = form.querySelector('output')
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const details = document.querySelectorAll('details.group')
  const groups = [...details].map((group) => ({
    group,
    rows: /** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll('[data-text]')),
  }))
  const sections = document.querySelectorAll('section')

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    const all = words.length === 0 && origin.value === ''
    let found = 0
    for (const { group, rows } of groups) {
      let inGroup = 0
      const heading = group.dataset.name
      for (const row of rows) {
        const fits =
          (origin.value === '' || row.dataset.origin === origin.value) &&
          words.every((word) => row.dataset.text.includes(word) || heading.includes(word))
        row.hidden = !fits
        if (fits) inGroup += 1
      }
      group.hidden = inGroup === 0
      group.open = !all && words.length > 0
      found += inGroup
    }
    for (const section of sections) section.hidden = !section.querySelector('details.group:not([hidden])')
    count.textContent = all ? '' : found === 1 ? '1 found' : found + ' found'
  }

  // The target of a link may be collapsed or filtered out.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    const group = /** @type {HTMLDetailsElement} */ (target?.closest('details.group'))
    if (!group) return
    if (target.hidden || group.hidden) {
      form.reset()
      filter()
    }
    group.open = true
    target.scrollIntoView()
  }

  form.hidden = false
  form.addEventListener('input', filter)
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', reveal)
  // Browsers restore the form when the reader returns to the page.
  filter()
  reveal()
})()
