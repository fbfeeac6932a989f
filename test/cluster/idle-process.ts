import assert from 'node:assert/strict'
import { ask, pause, type Sandbox, startSandbox } from './processes.ts'

/** Starts a sandbox and returns the time until its first response, seconds. */
export async function start(
  database: string,
): Promise<{ readonly sandbox: Sandbox; readonly seconds: number }> {
  const began = performance.now()
  const sandbox = await startSandbox(database, { SANDBOX_METRICS: 'on' })
  assert.equal((await ask(sandbox, 'GET', '/sandbox/clock'))!.status, 200)
  return { sandbox, seconds: (performance.now() - began) / 1_000 }
}

/** Measures an idle sandbox: CPU seconds, and bytes of memory. */
export async function watch(sandbox: Sandbox, ms: number) {
  const first = await figures(sandbox)
  await pause(ms)
  const { cpu, memory } = await figures(sandbox)
  return { cpu: cpu - first.cpu, memory }
}

async function figures({ url }: Sandbox) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const valueOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  return { cpu: valueOf('process_cpu_seconds_total'), memory: valueOf('process_resident_memory_bytes') }
}
