/** Payment pages: groups the card number, shows its brand, keeps the input after an error, and follows the payment. */
;(() => {
  'use strict'
  const field = (id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id))
  let timer = 0

  const formatNumber = () => {
    const input = field('number')
    const digits = input.value.replace(/\D/g, '').slice(0, 19)
    const end = input.selectionStart === input.value.length
    if (end && /^[\d\s-]*$/.test(input.value))
      input.value = /^3[47]/.test(digits)
        ? digits.replace(/^(.{4})(?=.)/, '$1 ').replace(/^(.{4} .{6})(?=.)/, '$1 ')
        : digits.replace(/(.{4})(?=.)/g, '$1 ')
    const [, brand = ''] =
      JSON.parse(input.dataset.brands).find(([begins]) => new RegExp(begins).test(digits)) ?? []
    field('brand').textContent = brand
  }

  const formatExpiry = ({ inputType }) => {
    const input = field('expiry')
    if (inputType === 'insertText' && /^\d\d$/.test(input.value)) input.value += '/'
  }

  /** The policy refuses the styles of another page; they differ only by the countdown. */
  const parse = (text) =>
    new DOMParser().parseFromString(text.replace(/<style>[^]*?<\/style>/, ''), 'text/html')

  /** Replaces the content by a page of the server; typed fields keep what the server does not return. */
  const show = (text) => {
    const next = parse(text)
    const main = document.querySelector('main')
    const typed = ['number', 'cvc'].map((id) => [id, field(id)?.value ?? ''])
    main.replaceWith(document.adoptNode(next.querySelector('main')))
    for (const [id, value] of typed) if (field(id) && !field(id).value) field(id).value = value
    start()
  }

  const send = async (event) => {
    const { target: form, submitter } = event
    if (submitter?.value !== 'pay' || !field('number')) return
    event.preventDefault()
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)))
    body.set('action', 'pay')
    const fields = [...form.elements].filter((each) => !each.disabled)
    for (const each of fields) each.disabled = true
    try {
      const response = await fetch(location.pathname, {
        method: 'POST',
        body,
        headers: { accept: 'text/html' },
      })
      if (response.status !== 400) return location.replace(response.url)
      show(await response.text())
    } catch {
      // Without a connection the browser's own submission reports the error.
      for (const each of fields) each.disabled = false
      form.append(
        Object.assign(document.createElement('input'), { type: 'hidden', name: 'action', value: 'pay' }),
      )
      form.submit()
    }
  }

  const follow = async (url) => {
    if (url) return location.replace(url)
    try {
      const response = await fetch(location.pathname, { headers: { accept: 'text/html' } })
      const text = await response.text()
      const next = parse(text)
      // While the payer still has a choice, the page keeps what was typed.
      if (response.redirected) location.replace(response.url)
      else if (next.querySelector('.outcome')) show(text)
      else start()
    } catch {
      start()
    }
  }

  const start = () => {
    clearTimeout(timer)
    const { after, url } = document.querySelector('main').dataset
    if (after) timer = setTimeout(() => void follow(url), Number(after) * 1000)
    for (const each of document.querySelectorAll('time'))
      each.textContent = new Date(each.dateTime).toLocaleTimeString(document.documentElement.lang, {
        hour: '2-digit',
        minute: '2-digit',
      })
    const first = document.querySelector('[aria-invalid]')
    if (first instanceof HTMLElement) first.focus()
    field('number')?.addEventListener('input', formatNumber)
    field('expiry')?.addEventListener('input', formatExpiry)
    for (const form of document.forms) form.addEventListener('submit', (event) => void send(event))
    if (field('number')?.value) formatNumber()
  }
  start()
})()
