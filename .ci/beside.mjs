// Runs commands in parallel, because most of them wait for registries, browsers and leases. Prints the output of each
// command in the order of the arguments: whole if it failed, otherwise its last lines. Usage: beside.mjs FOLDER COMMAND…
// A command that failed runs once more, alone, if it ends before REPEAT_BEFORE (seconds since 1970), and the second result counts: a busy
// machine fails no suite, a defect does. Writes the outputs and results.json ([{ name, passed, again, seconds, cpu, outputs }], with the
// outputs of what failed) to the folder. Exits with 1 if a command fails.
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One more than the processors of a usual CI machine. */
const LANES = 3
/** Lines shown of a command that passed. */
const LAST_LINES = 20
const [folder, ...names] = process.argv.slice(2)
const outputOf = (name, end = '') => join(folder, `${name.replace(/\W+/g, '-')}${end}.log`)
const repeatBefore = Number(process.env.REPEAT_BEFORE ?? 0) * 1000

/** Resolves when the command has ended, whatever its exit code. */
function run(name, path = outputOf(name)) {
  return new Promise((resolve) => {
    const began = performance.now()
    // A file, not a pipe: a process that outlives its suite would keep a pipe open.
    const output = openSync(path, 'w')
    const child = spawn(`TIMEFORMAT='cpu %U %S'; time { ${name}; }`, {
      shell: '/bin/bash',
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    child.on('exit', (code) => {
      const seconds = Math.round((performance.now() - began) / 1000)
      const [, user, system] = /cpu (\S+) (\S+)\n$/.exec(readFileSync(path, 'utf8')) ?? []
      const cpu = Math.round(Number(user) + Number(system))
      resolve({ name, passed: code === 0, again: false, seconds, cpu, outputs: code === 0 ? [] : [path] })
    })
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

function show({ name, passed, seconds, cpu }, path = outputOf(name)) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const shown = (passed ? lines.slice(-LAST_LINES) : lines).join('\n')
  console.log(`\n== ${name}\n${shown}\n${passed ? 'passed' : 'FAILED'} after ${seconds} s, ${cpu} s of CPU`)
}

await Promise.all(Array.from({ length: LANES }, lane))
for (const [at, { name, passed, seconds, outputs }] of results.entries()) {
  if (passed || Date.now() + seconds * 1000 > repeatBefore) continue
  const path = outputOf(name, '-again')
  const second = await run(name, path)
  console.log(`\nAgain, alone:`)
  show(second, path)
  results[at] = { ...second, again: true, outputs: [...outputs, ...second.outputs] }
}
writeFileSync(join(folder, 'results.json'), JSON.stringify(results))
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
