/** Turns the headings of each `.tabs` into tabs, and remembers the choice. Without this script, the headings remain. */
;(() => {
  'use strict'
  const chosen = () => {
    try {
      return JSON.parse(localStorage.getItem('guide-tabs')) ?? []
    } catch {
      return []
    }
  }
  const remember = (label) => {
    try {
      localStorage.setItem(
        'guide-tabs',
        JSON.stringify([label, ...chosen().filter((each) => each !== label)].slice(0, 9)),
      )
    } catch {}
  }
  const groups = [...document.querySelectorAll('.tabs')].map((box) => {
    const list = document.createElement('div')
    list.setAttribute('role', 'tablist')
    const tabs = [...box.querySelectorAll('h3')].map((heading) => {
      const panel = document.createElement('div')
      while (heading.nextSibling && heading.nextSibling.nodeName !== 'H3') panel.append(heading.nextSibling)
      const label = heading.textContent
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.textContent = label
      tab.id = heading.id + '-tab'
      panel.id = heading.id
      tab.setAttribute('role', 'tab')
      tab.setAttribute('aria-controls', panel.id)
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', tab.id)
      heading.replaceWith(panel)
      list.append(tab)
      return { label, tab, panel }
    })
    box.prepend(list)
    return tabs
  })
  const select = (tabs, label) => {
    for (const each of tabs) {
      const selected = each.label === label
      each.tab.setAttribute('aria-selected', selected)
      each.tab.tabIndex = selected ? 0 : -1
      each.panel.hidden = !selected
    }
  }
  const choose = (label) => {
    remember(label)
    for (const tabs of groups) if (tabs.some((each) => each.label === label)) select(tabs, label)
  }
  for (const tabs of groups) {
    const known = chosen().find((label) => tabs.some((each) => each.label === label))
    const linked = tabs.find(({ panel }) => '#' + panel.id === location.hash)
    select(tabs, (linked ?? tabs.find(({ label }) => label === known) ?? tabs[0]).label)
    tabs.forEach(({ label, tab }, at) => {
      tab.addEventListener('click', () => choose(label))
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        const next = step && tabs.at((at + step) % tabs.length)
        if (!next) return
        choose(next.label)
        next.tab.focus()
      })
    })
  }
})()
