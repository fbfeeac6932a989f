import { run } from './run.ts'
import { systemProcess } from './process.ts'

void run(process.argv.slice(2), systemProcess(process, process.env)).then((code) => (process.exitCode = code))
