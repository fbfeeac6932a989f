import { render } from 'preact'
import { App } from './app.tsx'
import { root } from './core/settings.ts'

render(<App />, root)
