/** Runs in the page: makes room for the viewer where storage is refused, loads it, and starts it. */
export const startScript = `(() => {
  'use strict'
  const { nonce, dataset, src: here } = document.currentScript
  const settings = JSON.parse(dataset.settings)
  const READER = 'payments-sandbox:reader'

  // In a frame of another site a browser may refuse storage; reading the property then throws.
  for (const name of ['localStorage', 'sessionStorage']) {
    try {
      window[name].getItem('')
    } catch {
      Object.defineProperty(window, name, { value: memory(), configurable: true })
    }
  }

  // Parts of the viewer make style sheets of their own; the page's policy wants its nonce on each.
  const make = document.createElement
  document.createElement = function (name, options) {
    const element = make.call(document, name, options)
    if (String(name).toLowerCase() === 'style') element.nonce = nonce
    return element
  }

  // A library of the viewer tries whether it may make code from text; it is told that it may not.
  window.__zod_globalConfig = { jitless: true }

  const bundle = document.createElement('script')
  bundle.src = new URL('scalar.js', here)
  bundle.nonce = nonce
  bundle.onload = start
  document.head.append(bundle)

  function start() {
    const configuration = {
      sources: settings.sources,
      theme: 'none',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      documentDownloadType: settings.single ? 'none' : 'direct',
      hideModels: settings.single,
      hideSearch: settings.single,
      showSidebar: !settings.single,
      showOperationId: true,
      defaultOpenFirstTag: false,
      orderRequiredPropertiesFirst: true,
      customFetch: send,
    }
    // Behind a proxy that takes a path away, the root of the page is not the sandbox.
    if (settings.server) configuration.servers = [{ url: settings.server }]
    // Where no sandbox answers, nothing can be tried.
    if (settings.credentials) Object.assign(configuration, { authentication: authentication(settings.credentials) })
    else configuration.hideTestRequestButton = true
    const asked = new URLSearchParams(location.search).get('scheme')
    const scheme = asked === 'dark' || asked === 'light' ? asked : undefined
    if (settings.embedded) Object.assign(configuration, { hideDarkModeToggle: true, forceDarkModeState: scheme })
    const viewer = window.Scalar.createApiReference('#app', configuration)
    if (settings.embedded && window.parent !== window) follow(viewer, configuration, scheme)
  }

  // Only the credentials of the form count: for those that a browser keeps, a refusal opens its own sign-in box.
  async function send(input, init) {
    const request = new Request(input, { ...init, credentials: 'omit' })
    const own = settings.reader && isForService(request) && isWithoutPassword(request)
    let answer = await fetch(own ? await asReader(request.clone()) : request.clone())
    // A reader's world goes when nobody has called it for an hour or so.
    if (own && answer.status === 401) answer = await fetch(await asReader(request, true))
    requestAnimationFrame(() => requestAnimationFrame(showAnswer))
    return answer
  }

  // Where there is no room for both beside each other, the answer stands below the request, out of sight.
  function showAnswer() {
    const answer = document.querySelector('.scalar-app-layout .response-section-content')?.closest('section')
    const both = answer?.parentElement
    both?.scrollTo({ top: answer.offsetTop - both.offsetTop })
  }

  function isForService({ url }) {
    return new URL(url).pathname.includes('/api/')
  }

  // Without a password, the viewer sends no credentials, those of a placeholder, or a name alone.
  function isWithoutPassword({ headers }) {
    const [, encoded] = /^basic +(.+)$/i.exec(headers.get('authorization') ?? '') ?? []
    if (encoded === undefined) return true
    const [username, ...password] = atob(encoded).split(':')
    return password.join(':') === '' || (username === settings.credentials.username && password.join(':') === 'password')
  }

  // The world of a reader, which other pages of this window share.
  async function asReader(request, anew) {
    const known = anew ? null : sessionStorage.getItem(READER)
    const pair = known ?? (await readersWorld())
    if (pair) request.headers.set('authorization', 'Basic ' + btoa(pair))
    return request
  }

  async function readersWorld() {
    const answer = await fetch(settings.reader, { method: 'POST', credentials: 'omit' })
    if (!answer.ok) return null
    const { username, password } = await answer.json()
    sessionStorage.setItem(READER, username + ':' + password)
    return username + ':' + password
  }

  function authentication({ username, password }) {
    return {
      preferredSecurityScheme: 'basicAuth',
      securitySchemes: { basicAuth: { username, password: password ?? '' } },
    }
  }

  // What a page that embeds us says, and what it needs to know.
  function follow(viewer, configuration, scheme) {
    const paint = () => {
      if (!scheme) return
      document.body.classList.toggle('dark-mode', scheme === 'dark')
      document.body.classList.toggle('light-mode', scheme === 'light')
    }
    // The viewer goes back to its first scheme when the system's changes.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => requestAnimationFrame(paint))
    window.addEventListener('message', ({ source, data }) => {
      if (source !== window.parent || data?.type !== 'payments-sandbox:page') return
      if ((data.scheme === 'dark' || data.scheme === 'light') && data.scheme !== scheme) {
        scheme = data.scheme
        viewer.updateConfiguration({ ...configuration, darkMode: scheme === 'dark' })
        requestAnimationFrame(paint)
      }
      if (Number.isFinite(data.top) && Number.isFinite(data.height)) {
        document.documentElement.style.setProperty('--visible-top', data.top + 'px')
        document.documentElement.style.setProperty('--visible-height', data.height + 'px')
      }
    })
    const app = document.getElementById('app')
    const tell = () =>
      window.parent.postMessage(
        { type: 'payments-sandbox:height', height: Math.ceil(app.getBoundingClientRect().height) },
        '*',
      )
    new ResizeObserver(tell).observe(app)
    tell()
  }

  function memory() {
    const items = new Map()
    return {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, value) => void items.set(String(key), String(value)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
      get length() {
        return items.size
      },
    }
  }
})()
`
