/**
 * Loaded by pages of other origins: replaces its script element with the viewer's frame and keeps the frame in shape. In the
 * head of a page, or as a module, it adds no frame.
 */
;(() => {
  'use strict'
  const script = /** @type {HTMLScriptElement} */ (document.currentScript)
  if (!script || script.closest('head')) return
  const { operation, scheme, height } = script.dataset
  const address = new URL('embed', script.src)
  if (operation) address.searchParams.set('operation', operation)
  address.searchParams.set('scheme', schemeOfPage())

  const frame = document.createElement('iframe')
  frame.src = address.href
  frame.title = operation ? 'API operation ' + operation : 'API reference'
  frame.allow = 'clipboard-write ' + address.origin
  Object.assign(frame.style, {
    display: 'block',
    boxSizing: 'border-box',
    width: '100%',
    height: height ?? (operation ? '32rem' : '85vh'),
    border: '0',
    borderRadius: '12px',
    colorScheme: 'normal',
  })
  script.after(frame)

  // The frame of one operation grows with its content; the whole reference scrolls inside its frame.
  const grows = operation !== undefined && height === undefined
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== address.origin) return
    if (data?.type !== 'payments-sandbox:height' || !Number.isFinite(data.height)) return
    if (grows && data.height > 0) frame.style.height = data.height + 'px'
    tell()
  })

  let told = ''
  function tell() {
    const box = frame.getBoundingClientRect()
    const top = Math.max(0, -box.top)
    const bottom = Math.min(box.height, window.innerHeight - box.top)
    const words = {
      type: 'payments-sandbox:page',
      scheme: schemeOfPage(),
      ...(bottom > top && { top: Math.round(top), height: Math.round(bottom - top) }),
    }
    const text = JSON.stringify(words)
    if (text === told) return
    told = text
    frame.contentWindow?.postMessage(words, address.origin)
  }

  let asked = false
  function soon() {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      tell()
    })
  }
  for (const event of ['scroll', 'resize'])
    window.addEventListener(event, soon, { passive: true, capture: true })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', soon)
  // Pages switch their scheme by an attribute of one of these.
  const watch = new MutationObserver(soon)
  for (const element of [document.documentElement, document.body])
    if (element) watch.observe(element, { attributes: true })
  document.addEventListener('transitionend', soon)

  /** Detects the scheme by the background around the frame, or by the page's color-scheme. */
  function schemeOfPage() {
    if (scheme === 'dark' || scheme === 'light') return scheme
    for (let element = script.parentElement; element; element = element.parentElement) {
      const paint = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(
        getComputedStyle(element).backgroundColor,
      )
      if (!paint || Number(paint[4] ?? 1) < 0.5) continue
      const [red, green, blue] = paint.slice(1, 4).map(Number)
      return red * 0.299 + green * 0.587 + blue * 0.114 < 128 ? 'dark' : 'light'
    }
    const declared = getComputedStyle(document.documentElement).colorScheme
    if (!declared.includes('dark')) return 'light'
    if (!declared.includes('light')) return 'dark'
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
})()
