import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { writeFile } from 'node:fs/promises'
import { Refusal } from './failures.ts'
import { type End, oneOf, plainCommand } from './options.ts'
import { exitCodes, safe } from './output.ts'
import type { Process } from './process.ts'
import { RecordingError } from '../fidelity/har.ts'
import { compare, compareDescriptions, learn } from '../fidelity/library.ts'
import { fails, reports, textOf } from '../fidelity/report.ts'

type ReportFile = readonly [name: keyof typeof reports, file: string]

export const compareCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('compare')
      .description(
        'Replay a recording (HAR of payments-sandbox record, of GET /sandbox/requests/har or of another tool) in a fresh world, and ' +
          'list where sandbox and service differ. SANDBOX_OBSERVED and the settings of worlds apply. Exit code 1: there are differences; 3: nothing was compared.',
      )
      .argument('[file]', 'the recording')
      .option('--description <file>', 'compare the descriptions instead: an OpenAPI file of the service')
      .addOption(
        oneOf('--fail-on <severity>', 'the severity that fails: breaking, or any', [
          'breaking',
          'any',
        ]).default('any'),
      )
      .addOption(
        new Option(
          '--report <form=file>',
          `also write a report, such as html=report.html; repeatable: ${Object.keys(reports).join(', ')}`,
        ).argParser(readReport),
      ),
    async ({ json }, file, { failOn, report = [], description }) => {
      if ((file === undefined) === (description === undefined))
        throw new Refusal('pass a recording, or a description with --description', exitCodes.usage)
      const made = await (
        description === undefined ? compare(file!, { env: io.env }) : compareDescriptions(description)
      ).catch(refuseRecording)
      io.out.write(json ? reports.json(made) : safe(textOf(made, io.out.colours)))
      for (const [name, path] of report) await save(path, reports[name](made))
      if (made.requests + made.callbacks === 0) return exitCodes.start
      return fails(made, failOn) ? exitCodes.no : exitCodes.done
    },
  )

export const learnCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('learn')
      .description(
        'Write the differences of a recording as an overlay, which a sandbox applies with SANDBOX_OBSERVED or the setting observed of a ' +
          'world. Exit code 1: some differences cannot be expressed; they are listed.',
      )
      .argument('<file>', 'the recording')
      .option('--out <file>', 'the overlay', 'observed.yaml'),
    async ({ out }, recording, { out: file }) => {
      const { overlay, differences, not_expressed } = await learn(recording, { env: io.env }).catch(
        refuseRecording,
      )
      await save(file, overlay, 'wx')
      const fact = { kind: 'learned', file, differences, not_expressed }
      out.say(`${differences} differences are in ${file}`, fact)
      for (const each of not_expressed) out.say(`not expressed: ${each}`)
      return not_expressed.length > 0 ? exitCodes.no : exitCodes.done
    },
  )

const save = (path: string, text: string, flag: 'w' | 'wx' = 'w') =>
  writeFile(path, text, { flag }).catch(({ code, message }: NodeJS.ErrnoException) => {
    const why =
      code === 'EEXIST'
        ? ' exists; pass another with --out, or delete it'
        : ` cannot be written: ${code === 'ENOENT' ? 'its folder does not exist' : message}`
    throw new Refusal(path + why, exitCodes.usage)
  })

/** @throws {Refusal} for a file that is no recording */
export function refuseRecording(error: unknown): never {
  throw error instanceof RecordingError ? new Refusal(error.message, exitCodes.usage) : error
}

function readReport(text: string, before: readonly ReportFile[] = []): readonly ReportFile[] {
  const [, name = '', file = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (Object.hasOwn(reports, name)) return [...before, [name as ReportFile[0], file]]
  throw new InvalidArgumentError(
    `Accepted: a format and a file, such as html=report.html: ${Object.keys(reports).join(', ')}.`,
  )
}
