import { execFileSync, spawnSync } from 'node:child_process'
import { freePort } from '../support/suite.ts'

// Debian's podman without systemd keeps no timers: health checks are asked for one by one.
const env = { ...process.env, DISABLE_HC_SYSTEMD: 'true' }

/** Milliseconds: a command that takes longer hangs, such as the wait for a sandbox that does not end. */
const timeout = 60_000

export const podman = (...args: readonly string[]) =>
  execFileSync('podman', ['--runtime', 'runc', ...args], {
    encoding: 'utf8',
    env,
    timeout,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

/** The same where a failure is an answer. */
export function tryPodman(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('podman', ['--runtime', 'runc', ...args], {
    encoding: 'utf8',
    env,
    timeout,
  })
  return { status, out: stdout.trim(), err: stderr.trim() }
}

// The host's network needs nothing set up; the limits are ones that a container in a container may set.
const readOnly = ['--read-only', '--read-only-tmpfs=false']
const anywhere = ['--network', 'host', '--ulimit', 'nofile=1024:2048', '--ulimit', 'nproc=1024:2048']

/** Runs the image on a free port, its root file system read-only and without a place to write in memory. */
export async function runImage(
  image: string,
  options: readonly string[] = [],
  command: readonly string[] = [],
) {
  const port = await freePort()
  const started = performance.now()
  const settings = ['--detach', '--env', `SANDBOX_PORT=${port}`]
  const id = podman('run', ...settings, ...readOnly, ...anywhere, ...options, image, ...command)
  return { id, port, started, url: `http://127.0.0.1:${port}` }
}

export function runToEnd(image: string, options: readonly string[], command: readonly string[] = []) {
  return tryPodman('run', '--rm', ...readOnly, ...anywhere, ...options, image, ...command)
}
