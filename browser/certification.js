/** The report of a certification: filters, copy buttons, links to checks, and printing. The page works without it. */
;(() => {
  'use strict'
  const all = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll('details.check')])
  const bar = /** @type {HTMLElement} */ (document.querySelector('.filter'))
  const parentOf = ({ target }, selector) => /** @type {Element} */ (target).closest(selector)
  bar.hidden = false
  bar.addEventListener('click', (event) => {
    const chosen = parentOf(event, 'button')
    if (!chosen) return
    for (const each of bar.querySelectorAll('button'))
      each.setAttribute('aria-pressed', String(each === chosen))
    for (const each of all)
      each.hidden = chosen.dataset.show !== '' && each.dataset.verdict !== chosen.dataset.show
    for (const each of document.querySelectorAll('.group'))
      /** @type {HTMLElement} */ (each).hidden = !each.querySelector('details.check:not([hidden])')
  })
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.copy'))) {
    if (!navigator.clipboard) break
    each.hidden = false
    for (const leaving of ['pointerleave', 'blur'])
      each.addEventListener(leaving, () => void (each.textContent = 'Copy'))
    each.addEventListener('click', async () => {
      await navigator.clipboard.writeText(each.previousElementSibling.textContent)
      each.textContent = 'Copied'
    })
  }
  const show = () => {
    const linked = /** @type {HTMLDetailsElement | null} */ (document.getElementById(location.hash.slice(1)))
    if (!linked?.matches('details.check')) return
    if (linked.hidden) bar.querySelector('button').click()
    linked.open = true
    linked.scrollIntoView()
  }
  addEventListener('hashchange', show)
  show()
  document.addEventListener('click', (event) => {
    const link = parentOf(event, 'a[href^="#"]')
    if (link && link.hash === location.hash) show()
  })
  let closed = []
  addEventListener('beforeprint', () => {
    closed = all.filter(
      (each) => !each.open && ['fail', 'inconclusive', 'waived'].includes(each.dataset.verdict),
    )
    for (const each of closed) each.open = true
  })
  addEventListener('afterprint', () => {
    for (const each of closed) each.open = false
  })
})()
