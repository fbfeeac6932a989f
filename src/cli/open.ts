import { spawn } from 'node:child_process'

/** How each system is told to show an address in the user's browser. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Shows `url` in the user's browser; where there is none, nothing happens. */
export function openInBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  browser.on('error', () => {})
  browser.unref()
}
