/** Payment pages: groups the card number, shows its brand, and follows the payment. */
;(() => {
  'use strict'
  const field = (id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id))
  let timer = 0

  const formatNumber = () => {
    const input = field('number')
    const digits = input.value.replace(/\D/g, '').slice(0, 19)
    if (/^[\d\s-]*$/.test(input.value)) {
      let before = input.value.slice(0, input.selectionStart).replace(/\D/g, '').length
      input.value = /^3[47]/.test(digits)
        ? digits.replace(/^(.{4})(?=.)/, '$1 ').replace(/^(.{4} .{6})(?=.)/, '$1 ')
        : digits.replace(/(.{4})(?=.)/g, '$1 ')
      // The caret stays behind the same digit.
      let caret = 0
      for (; before > 0; caret++) if (input.value[caret] !== ' ') before--
      if (document.activeElement === input) input.setSelectionRange(caret, caret)
    }
    const [, brand = ''] =
      JSON.parse(input.dataset.brands).find(([begins]) => new RegExp(begins).test(digits)) ?? []
    const mark = field('brand')
    mark.dataset.brand = brand
    mark.textContent = brand
  }

  const formatExpiry = ({ inputType }) => {
    const input = field('expiry')
    if (inputType !== 'insertText') return
    // A payer may type the slash too.
    input.value = input.value.replace(/^(\d\d)\/*(?=\d|$)/, '$1/')
  }

  /** The policy refuses the styles of another page; they differ only by the countdown. */
  const parse = (text) =>
    new DOMParser().parseFromString(text.replace(/<style>[^]*?<\/style>/, ''), 'text/html')

  /** A form is sent once, although a payer presses twice. */
  const sendOnce = (event) => {
    const { target: form, submitter } = event
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    submitter?.setAttribute('aria-busy', 'true')
    // A page that is still here was not left, because the payer or the network stopped it.
    setTimeout(() => {
      delete form.dataset.sent
      submitter?.removeAttribute('aria-busy')
    }, 15_000)
  }

  const follow = async (url) => {
    if (url) return location.replace(url)
    try {
      const response = await fetch(location.pathname, { headers: { accept: 'text/html' } })
      const text = await response.text()
      const next = parse(text)
      // While the payer still has a choice, the page keeps what was typed.
      if (response.redirected) location.replace(response.url)
      else if (next.querySelector('.outcome')) {
        document.querySelector('main').replaceWith(document.adoptNode(next.querySelector('main')))
        start()
      } else start()
    } catch {
      start()
    }
  }

  const start = () => {
    clearTimeout(timer)
    const { after, url } = document.querySelector('main').dataset
    if (after) timer = setTimeout(() => void follow(url), Number(after) * 1000)
    for (const each of document.querySelectorAll('time'))
      each.textContent = new Date(each.dateTime).toLocaleString(document.documentElement.lang, {
        dateStyle: /** @type {'medium' | undefined} */ (each.dataset.style),
        timeStyle: 'short',
      })
    const first = document.querySelector('[aria-invalid]')
    if (first instanceof HTMLElement) first.focus()
    field('number')?.addEventListener('input', formatNumber)
    field('expiry')?.addEventListener('input', formatExpiry)
    for (const form of document.forms) form.addEventListener('submit', sendOnce)
    if (field('number')?.value) formatNumber()
  }
  // The browser shows a page anew that was left by a form.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  start()
})()
