import { spawn } from 'node:child_process'

/** How each system is told to show an address in the user's browser. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Shows `url` in the user's browser. @param failed called where there is none */
export function openInBrowser(url: string, failed: () => void): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  browser.on('error', failed)
  browser.on('exit', (code) => {
    if (code !== 0) failed()
  })
  browser.unref()
}
