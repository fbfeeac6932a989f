// Runs commands beside one another, for most wait much: for registries, browsers, leases. What each prints is kept apart, and
// printed whole in the order in which they were given. Usage: beside.mjs folder command…
// Leaves the output of each in the folder, and results.json: [{ name, passed, seconds }]. Ends with 1 when a command failed.
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** More than most machines of continuous integration have processors. */
const LANES = 3
const [folder, ...names] = process.argv.slice(2)
const outputOf = (name) => join(folder, `${name.replace(/\W+/g, '-')}.log`)

/** Resolves when it has ended, however that was. */
function run(name) {
  return new Promise((resolve) => {
    const began = performance.now()
    // A file, not a pipe: a process that outlives its suite would keep a pipe open.
    const output = openSync(outputOf(name), 'w')
    const child = spawn(name, { shell: true, stdio: ['ignore', output, output] })
    closeSync(output)
    child.on('exit', (code) =>
      resolve({ name, passed: code === 0, seconds: Math.round((performance.now() - began) / 1000) }),
    )
  })
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const results = []
let started = 0
let shown = 0

/** Runs one after the other until none is left, and shows what can be shown in order. */
async function lane() {
  while (started < names.length) {
    const at = started++
    results[at] = await run(names[at])
    for (; results[shown]; shown++) show(results[shown])
  }
}

function show({ name, passed, seconds }) {
  console.log(
    `\n== ${name}\n${readFileSync(outputOf(name), 'utf8')}${passed ? 'passed' : 'FAILED'} after ${seconds} s`,
  )
}

await Promise.all(Array.from({ length: LANES }, lane))
writeFileSync(join(folder, 'results.json'), JSON.stringify(results))
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
