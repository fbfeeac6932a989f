/** Loads the viewer and starts it, with stand-ins for storage that the browser refuses. */
;(() => {
  'use strict'
  const { nonce, dataset, src: here } = /** @type {HTMLScriptElement} */ (document.currentScript)
  const settings = JSON.parse(dataset.settings)
  const READER = 'payments-sandbox:reader'

  // In a frame of another site, reading the property throws if the browser refuses storage.
  for (const name of ['localStorage', 'sessionStorage']) {
    try {
      window[name].getItem('')
    } catch {
      Object.defineProperty(window, name, { value: memory(), configurable: true })
    }
  }

  // The viewer creates style elements, which the page's policy only accepts with its nonce.
  const make = document.createElement
  document.createElement = function (name, options) {
    const element = make.call(document, name, options)
    if (String(name).toLowerCase() === 'style') element.nonce = nonce
    return element
  }

  // Keeps zod from testing whether the policy allows eval.
  Object.assign(window, { __zod_globalConfig: { jitless: true } })

  const bundle = document.createElement('script')
  bundle.src = new URL('scalar.js', here).href
  bundle.nonce = nonce
  bundle.addEventListener('load', start)
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
    // Behind a proxy that strips a path, the page's root is not the sandbox's.
    if (settings.server) configuration.servers = [{ url: settings.server }]
    // Without a running sandbox, requests cannot be sent.
    if (settings.credentials)
      Object.assign(configuration, { authentication: authentication(settings.credentials) })
    else configuration.hideTestRequestButton = true
    const asked = new URLSearchParams(location.search).get('scheme')
    const scheme = asked === 'dark' || asked === 'light' ? asked : undefined
    if (settings.embedded)
      Object.assign(configuration, { hideDarkModeToggle: true, forceDarkModeState: scheme })
    const viewer = window['Scalar'].createApiReference('#app', configuration)
    if (settings.embedded && window.parent !== window) follow(viewer, configuration, scheme)
  }

  // Stored credentials are omitted: if they were rejected, the browser would open its own sign-in dialog.
  async function send(input, init) {
    const request = new Request(input, { ...init, credentials: 'omit' })
    const own = settings.reader && isForService(request) && isWithoutPassword(request)
    let answer = await fetch(own ? await asReader(request.clone()) : request.clone())
    // A reader's world is deleted after about an hour without calls.
    if (own && answer.status === 401) answer = await fetch(await asReader(request, true))
    requestAnimationFrame(() => requestAnimationFrame(showAnswer))
    return answer
  }

  // On narrow screens the response is below the request, out of sight.
  function showAnswer() {
    const answer = document.querySelector('.scalar-app-layout .response-section-content')?.closest('section')
    const both = answer?.parentElement
    both?.scrollTo({ top: answer.offsetTop - both.offsetTop })
  }

  function isForService({ url }) {
    return new URL(url).pathname.includes('/api/')
  }

  // Without a password, the viewer sends no credentials, placeholders, or only a name.
  function isWithoutPassword({ headers }) {
    const [, encoded] = /^basic +(.+)$/i.exec(headers.get('authorization') ?? '') ?? []
    if (encoded === undefined) return true
    const [username, ...password] = atob(encoded).split(':')
    return (
      password.join(':') === '' ||
      (username === settings.credentials.username && password.join(':') === 'password')
    )
  }

  // All pages of a window share the reader's world.
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

  // Exchanges messages with the embedding page.
  function follow(viewer, configuration, scheme) {
    const paint = () => {
      if (!scheme) return
      document.body.classList.toggle('dark-mode', scheme === 'dark')
      document.body.classList.toggle('light-mode', scheme === 'light')
    }
    // When the system's scheme changes, the viewer resets its own.
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
