import { run } from './cli/run.ts'
import { systemProcess } from './cli/process.ts'

process.exitCode = await run(process.argv.slice(2), systemProcess(process, process.env))
