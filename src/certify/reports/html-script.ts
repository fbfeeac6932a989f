/** What the page does more when it may run a script: filter, copy, open what is linked to, and everything when it is printed. */
export const script = `
const all = [...document.querySelectorAll('details.check')]
const bar = document.querySelector('.filter')
bar.hidden = false
bar.addEventListener('click', ({ target }) => {
  const chosen = target.closest('button')
  if (!chosen) return
  for (const each of bar.querySelectorAll('button')) each.setAttribute('aria-pressed', String(each === chosen))
  for (const each of all) each.hidden = chosen.dataset.show !== '' && each.dataset.verdict !== chosen.dataset.show
  for (const each of document.querySelectorAll('.group')) each.hidden = !each.querySelector('details.check:not([hidden])')
})
for (const each of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break
  each.hidden = false
  for (const leaving of ['pointerleave', 'blur']) each.addEventListener(leaving, () => { each.textContent = 'Copy' })
  each.addEventListener('click', async () => {
    await navigator.clipboard.writeText(each.previousElementSibling.textContent)
    each.textContent = 'Copied'
  })
}
const show = () => {
  const linked = document.getElementById(location.hash.slice(1))
  if (!linked?.matches('details.check')) return
  if (linked.hidden) bar.querySelector('button').click()
  linked.open = true
  linked.scrollIntoView()
}
addEventListener('hashchange', show)
show()
document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[href^="#"]')
  if (link && link.hash === location.hash) show()
})
let closed = []
addEventListener('beforeprint', () => {
  closed = all.filter((each) => !each.open && ['fail', 'inconclusive', 'expected_fail'].includes(each.dataset.verdict))
  for (const each of closed) each.open = true
})
addEventListener('afterprint', () => { for (const each of closed) each.open = false })
`
