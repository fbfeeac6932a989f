import { parseArgs } from 'node:util'
import { checkScenarios, listScenarios, testScenarios } from './scenarios.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { junit: { type: 'string' } } })
const [command, ...paths] = positionals
const write = (text: string) => void process.stdout.write(text)

if (command === 'check') process.exitCode = await checkScenarios(paths, write)
else if (command === 'test') process.exitCode = await testScenarios(paths, values, write)
else if (command === 'list') process.exitCode = await listScenarios(write)
else {
  process.stderr.write('usage: scenarios check [paths] | test [paths] [--junit file] | list\n')
  process.exitCode = 2
}
