import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Standing } from '../certify/certification.ts'
import { certifyShop, printProfile } from './certify-run.ts'
import { compareReports, explainCheck, convertReport, verifyReport } from './certify-reports.ts'
import { durationOption, type End, plainCommand, targetOf, urlOption, userOption } from './options.ts'
import type { Process } from './process.ts'

const listed = (text: string, before: readonly string[] = []) => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
]

const reportOption = (what: string) =>
  new Option('--report <form=file>', `${what}, such as html=report.html; comma-separated`).argParser(listed)

/** The standings that a pipeline may require, as words of the command line. */
const required: Readonly<Record<string, Standing>> = {
  ready: 'ready',
  waivers: 'ready_with_waivers',
  'so-far': 'so_far',
}

const requireOption = (fallback: string) =>
  new Option(
    '--require <standing>',
    `exit code 0 only for: ready, waivers (ready, or ready with waivers) or so-far (no mandatory check failed); default: ${fallback}`,
  ).argParser((text: string): Standing => {
    const standing = required[text]
    if (standing) return standing
    throw new InvalidArgumentError(`It is ${Object.keys(required).join(', ')}.`)
  })

const bundleOption = () =>
  new Option('--bundle <file>', 'also write an archive of the evidence, such as evidence.tar.gz')

const publicKeyOption = () =>
  new Option(
    '--public-key <file|url>',
    'the public key: a sandbox, a key set, a JWK or PEM (default: from the sandbox that the report names)',
  )

export function certifyCommand(io: Process, end: End) {
  const plain = plainCommand(io, end)
  const certify = new Command('certify')
    .description(
      'Check a shop as a client and as a receiver, and print a verdict for each check. The profile contains its callback address, ' +
        'how to start a payment and how to read the state of an order. Exit code 0: ready; 1: a mandatory check fails; 2: invalid ' +
        'profile; 3: a mandatory check is inconclusive or was not seen; 4: no sandbox answers.',
    )
    .addOption(new Option('--profile <file>', 'the profile of the shop (default: certify.yaml)'))
    .addOption(
      new Option('--only <checks>', 'checks or groups, such as RCV or RCV-11,CLI-2').argParser(listed),
    )
    .addOption(
      new Option('--passive [world]', "judge only a world's request log, without a profile").conflicts([
        'profile',
        'only',
      ]),
    )
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(
      durationOption('--wait', 'how long to wait for a world in use by another run, such as 10m').conflicts(
        'passive',
      ),
    )
    .addOption(
      new Option(
        '--plan <name>',
        'the plan: one of the sandbox with --witnessed, otherwise a shipped one or a file; with verify, the required plan',
      ).conflicts('passive'),
    )
    .addOption(
      new Option(
        '--witnessed [file]',
        'let the sandbox run the checks, and write its signed report (default: certification.signed.json)',
      ).conflicts(['passive', 'wait']),
    )
    .addOption(new Option('--register', 'publish the report of --witnessed in the register of the sandbox'))
    .addOption(requireOption('waivers, or so-far with --only and --passive; verify accepts any'))
    .option('--json', 'print the certification as JSON')
    .addOption(reportOption('also write a report'))
    .addOption(bundleOption())
  plain(certify, (_, options) => certifyShop(io, options, () => targetOf(io, options)))
  plain(
    certify
      .command('init')
      .description("Print a draft profile, based on a world's request log.")
      .addOption(urlOption())
      .addOption(userOption()),
    ({ json }, options) => printProfile(io, targetOf(io, options), json),
  )
  plain(
    certify
      .command('explain')
      .description('Explain a check: how it works, why it matters and how to fix a failure.')
      .argument('[check]', 'such as RCV-11, or a group such as RCV (default: list all)'),
    async ({ json }, id) => explainCheck(io, id, json),
  )
  plain(
    certify
      .command('verify')
      .description(
        'Verify a signed report and print its summary. Exit code 0: valid signature; 1: invalid; 2: unreadable file or key.',
      )
      .argument('<file>', 'the response of POST /sandbox/certifications')
      .addOption(publicKeyOption())
      .option('--subject <name>', 'the expected shop: exit code 1 for a report of another')
      .addOption(durationOption('--max-age', 'the maximum age of the report, such as 90d'))
      .addOption(new Option('--checks <checks>', 'checks or groups that must have passed').argParser(listed)),
    (_, file, flags) => verifyReport(io, file, flags),
  )
  plain(
    certify
      .command('report')
      .description(
        'Convert a certification to other formats, by default an HTML page. A signed report is verified first. Exit code 1: invalid ' +
          'signature, nothing written; 2: unreadable file or key.',
      )
      .argument('<file>', 'the output of certify --json, or the response of POST /sandbox/certifications')
      .addOption(reportOption('the formats'))
      .addOption(bundleOption())
      .addOption(publicKeyOption()),
    (_, file, flags) => convertReport(io, file, flags),
  )
  plain(
    certify
      .command('diff')
      .description(
        'Compare two certifications of a shop: checks that are worse, better, new or redefined. Exit code 0: not worse; 1: worse; 2: ' +
          'unreadable file.',
      )
      .argument('<old>', 'the output of certify --json, or a signed report')
      .argument('<new>', 'the same, of a later run')
      .option('--markdown', 'print Markdown for a comment on a pull request'),
    (_, old, current, flags) => compareReports(io, [old, current], flags),
  )
  return certify
}
