import { Command, Option } from '@commander-js/extra-typings'
import { descriptionText } from '../lib/files.ts'
import { type End, plainCommand } from './options.ts'
import { printed } from './output.ts'
import type { Process } from './process.ts'

export const openapiCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('openapi')
      .description('Print the OpenAPI description as a running sandbox serves it.')
      .addOption(new Option('--yaml', 'as YAML (the default)').conflicts('json'))
      .option('--json', 'as JSON')
      .option('--control', 'the control API (/sandbox) instead of the service'),
    async ({ json }, { control }) => {
      io.out.write(await descriptionText(control ? 'control' : 'service', json ? 'json' : 'yaml'))
      return printed(io)
    },
  )
