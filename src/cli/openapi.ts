import { Command, Option } from 'commander'
import { descriptionText } from '../lib/files.ts'
import type { End } from './options.ts'
import { printed } from './output.ts'
import type { Process } from './process.ts'

export const openapiCommand = (io: Process, end: End) =>
  new Command('openapi')
    .description('Print the OpenAPI description as a running sandbox serves it.')
    .addOption(new Option('--yaml', 'as YAML (the default)').conflicts('json'))
    .option('--json', 'as JSON')
    .option('--control', 'the control API (/sandbox) instead of the service')
    .action(async ({ json, control }: { json?: boolean; control?: boolean }) => {
      io.out.write(await descriptionText(control ? 'control' : 'service', json ? 'json' : 'yaml'))
      end(await printed(io))
    })
