import { run } from './cli/run.ts'
import { systemProcess } from './cli/process.ts'

void run(process.argv.slice(2), systemProcess(process, process.env)).then((code) => (process.exitCode = code))
