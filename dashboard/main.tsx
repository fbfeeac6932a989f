import { App } from './app.tsx'
import { root } from './core/settings.ts'
import { loadAhead } from './parts/list-states.tsx'
import { render } from 'preact'

render(<App />, root)

/** Milliseconds after which scripts of other pages are loaded. */
const QUIET = 3_000
setTimeout(() => void loadAhead(), QUIET)
