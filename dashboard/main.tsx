import { render } from 'preact'
import { App } from './app.tsx'
import { root } from './core/settings.ts'
import { loadAhead } from './parts/at-need.tsx'

render(<App />, root)

/** Milliseconds after which scripts of other pages are loaded. */
const QUIET = 3_000
setTimeout(() => void loadAhead(), QUIET)
