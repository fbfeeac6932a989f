import { Command, Option } from 'commander'
import { type CertifyFlags, certifyShop, printProfile } from './certify-run.ts'
import { explainCheck, reportAgain, verifyReport } from './certify-reports.ts'
import { durationOption, type End, jsonOption, targetOf, urlOption, userOption } from './options.ts'
import type { Process } from './process.ts'

const listed = (text: string, before: readonly string[] = []) => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
]

const reportOption = (what: string) =>
  new Option(
    '--report <form=file>',
    `${what}, such as html=report.html; several are separated by commas`,
  ).argParser(listed)

const publicKeyOption = () =>
  new Option(
    '--public-key <file|url>',
    'where the key is: a sandbox, a key set, a JWK or PEM (default: the sandbox that the report names)',
  )

/** `certify` and what belongs to it. */
export function certifyCommand(io: Process, end: End): Command {
  const certify = new Command('certify')
    .description(
      'Try a shop from both sides, by a profile that says where it takes callbacks, how a payment is started and what it believes ' +
        'afterwards; print a verdict for each check. Exit code 0 when it is ready, 1 when a mandatory check fails, 2 when the profile ' +
        'is not understood, 3 when a mandatory check is inconclusive, 4 when no sandbox answers.',
    )
    .addOption(new Option('--profile <file>', 'what the shop is like (default: certify.yaml)'))
    .addOption(
      new Option('--only <checks>', 'checks or groups, such as RCV or RCV-11,CLI-2').argParser(listed),
    )
    .addOption(
      new Option('--passive [world]', "judge a world's record alone, without a profile").conflicts([
        'profile',
        'only',
      ]),
    )
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(
      durationOption('--wait', 'how long to wait for a world that another run uses, such as 10m').conflicts(
        'passive',
      ),
    )
    .option('--json', 'print the certification as JSON')
    .addOption(reportOption('write a report too'))
    .action(async (options: CertifyFlags) => {
      end(await certifyShop(io, options, () => targetOf(io, options)))
    })
  certify
    .command('init')
    .description("Print a profile for certify, from what a world's record shows of a shop.")
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (_: unknown, command: Command) => {
      const options: CertifyFlags = command.optsWithGlobals()
      end(await printProfile(io, targetOf(io, options), options.json))
    })
  certify
    .command('explain')
    .description('Tell what a check is: how it is tried, why it matters, how it is mended.')
    .argument('[check]', 'such as RCV-11, or a group such as RCV; all are listed when left out')
    .addOption(jsonOption())
    .action(async (id: string | undefined, _: unknown, command: Command) => {
      const { json }: CertifyFlags = command.optsWithGlobals()
      end(explainCheck(io, id, json))
    })
  certify
    .command('verify')
    .description(
      'Say whose a signed report is, what it says and whether its signature holds: exit code 0 when it does, 1 when it does not, 2 when the ' +
        'file or the key cannot be read.',
    )
    .argument('<file>', 'the answer of POST /sandbox/certifications')
    .addOption(publicKeyOption())
    .option('--subject <name>', 'whose report it has to be: exit code 1 when it is of another')
    .addOption(jsonOption())
    .action(
      async (
        file: string,
        flags: { readonly publicKey?: string; readonly subject?: string },
        command: Command,
      ) => {
        const { json = false }: CertifyFlags = command.optsWithGlobals()
        end(await verifyReport(io, file, { ...flags, json }))
      },
    )
  certify
    .command('report')
    .description(
      'Tell a certification that is kept in a file in another form, as a page for people unless it is said which. Of a signed one the signature is ' +
        'looked at first: exit code 1 when it does not hold, and nothing is written; 2 when the file or the key cannot be read.',
    )
    .argument('<file>', 'what certify --json prints, or the answer of POST /sandbox/certifications')
    .addOption(reportOption('the forms'))
    .addOption(publicKeyOption())
    .addOption(jsonOption())
    .action(async (file: string, flags: { readonly publicKey?: string }, command: Command) => {
      const { json = false, report }: CertifyFlags = command.optsWithGlobals()
      end(await reportAgain(io, file, { ...flags, json, ...(report && { report }) }))
    })
  return certify
}
