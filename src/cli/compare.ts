import { Command, InvalidArgumentError, Option } from 'commander'
import { writeFile } from 'node:fs/promises'
import { Refusal, failed } from './failures.ts'
import { type End, jsonOption, oneOf } from './options.ts'
import { exitCodes, safe } from './output.ts'
import type { Process } from './process.ts'
import { ConfigError } from '../config/config.ts'
import { RecordingError, readRecording } from '../fidelity/har.ts'
import { learn, unexpressed } from '../fidelity/learn.ts'
import { formats, fails, type Report, reportOf, textOf } from '../fidelity/report.ts'
import { replay } from '../fidelity/replay.ts'

interface CompareFlags {
  readonly json?: boolean
  readonly failOn: 'breaking' | 'any'
  readonly report?: readonly [name: keyof typeof formats, file: string][]
}

export const compareCommand = (io: Process, end: End) =>
  new Command('compare')
    .description(
      'Replay a recording (HAR of payments-sandbox record or another tool, or the output of GET /sandbox/requests) in a fresh world, and ' +
        'list where sandbox and service differ. SANDBOX_OBSERVED and the settings of worlds apply. Exit code 1: there are differences.',
    )
    .argument('<file>', 'the recording')
    .addOption(
      oneOf('--fail-on <severity>', 'the severity that fails: breaking, or any', ['breaking', 'any']).default(
        'any',
      ),
    )
    .addOption(
      new Option(
        '--report <form=file>',
        `also write a report, such as html=report.html; repeatable: ${Object.keys(formats).join(', ')}`,
      ).argParser(readReport),
    )
    .addOption(jsonOption())
    .action(async (file: string, flags: CompareFlags) =>
      end(await attempt(io, flags.json, () => compare(io, file, flags))),
    )

async function compare(
  io: Process,
  file: string,
  { json, failOn, report = [] }: CompareFlags,
): Promise<number> {
  const recording = await readRecording(file)
  const replayed = await replay(recording, io.env)
  const made = reportOf(file, recording.sha256, recording.entries.length, replayed)
  io.out.write(json ? formats.json(made) : safe(textOf(made, io.out.colours)))
  for (const [name, path] of report) await writeFile(path, formats[name](made))
  return fails(made, failOn) ? exitCodes.no : exitCodes.done
}

export const learnCommand = (io: Process, end: End) =>
  new Command('learn')
    .description(
      'Write the differences of a recording as an overlay, which a sandbox applies with SANDBOX_OBSERVED or the setting observed of a ' +
        'world. Exit code 1: some differences cannot be expressed; they are listed.',
    )
    .argument('<file>', 'the recording')
    .option('--out <file>', 'the overlay', 'observed.yaml')
    .addOption(jsonOption())
    .action(async (file: string, flags: { out: string; json?: boolean }) =>
      end(await attempt(io, flags.json, () => learnFrom(io, file, flags))),
    )

async function learnFrom(io: Process, file: string, flags: { out: string; json?: boolean }): Promise<number> {
  const { out, json = false } = flags
  const recording = await readRecording(file)
  const { SANDBOX_OBSERVED: _, ...env } = io.env
  const learned = learn(file, recording, await replay(recording, env))
  const { overlay, left } = learned
  await writeFile(out, overlay)
  // Verified: what the overlay does not reproduce is listed too.
  const again = await replay(recording, { ...env, SANDBOX_OBSERVED: out })
  const rest: Report['differences'] = reportOf(
    file,
    recording.sha256,
    recording.entries.length,
    again,
  ).differences
  const missing = unexpressed(left, rest)
  if (json)
    io.out.write(
      `${JSON.stringify({ kind: 'learned', file: out, differences: learned.count, not_expressed: missing })}\n`,
    )
  else {
    io.out.write(`${learned.count} differences are in ${safe(out)}\n`)
    for (const each of missing) io.out.write(`not expressed: ${safe(each)}\n`)
  }
  return missing.length > 0 ? exitCodes.no : exitCodes.done
}

async function attempt(io: Process, json = false, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const isUsage = error instanceof RecordingError || error instanceof ConfigError
    return failed(io, isUsage ? new Refusal(error.message, exitCodes.usage) : error, json)
  }
}

function readReport(text: string, before: CompareFlags['report'] = []): CompareFlags['report'] {
  const [, name = '', file = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (Object.hasOwn(formats, name)) return [...before, [name as keyof typeof formats, file]]
  throw new InvalidArgumentError(
    `Accepted: a format and a file, such as html=report.html: ${Object.keys(formats).join(', ')}.`,
  )
}
