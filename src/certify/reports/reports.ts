import type { Certification, ReportName } from '../certification.ts'
import type { CheckedSignature } from '../verify.ts'

/** A format of reports. */
export interface Report {
  /** Its file name. */
  readonly file: string
  /** Its purpose. */
  readonly about: string
  /** @param signed the verified signature */
  readonly write: (certification: Certification, signed?: CheckedSignature) => string | Promise<string>
}

/** All formats. Each loads its module on first use. */
export const reports = {
  html: {
    file: 'certification.html',
    about: 'one page for people',
    write: async (of, signed?) => (await import('./html.ts')).htmlReport(of, signed),
  },
  json: {
    file: 'certification.json',
    about: 'complete, for programs',
    write: (of) => `${JSON.stringify(of, null, 2)}\n`,
  },
  junit: {
    file: 'junit.xml',
    about: 'for pipelines',
    write: async (of) => (await import('./formats.ts')).junitReport(of),
  },
  ctrf: {
    file: 'ctrf.json',
    about: 'for pipelines, ctrf.io',
    write: async (of) => (await import('./formats.ts')).ctrfReport(of),
  },
  sarif: {
    file: 'certification.sarif',
    about: 'for code scanning, SARIF 2.1.0',
    write: async (of) => (await import('./sarif.ts')).sarifReport(of),
  },
  markdown: {
    file: 'summary.md',
    about: "for a pipeline's summary",
    write: async (of, signed?) => (await import('./markdown.ts')).markdownReport(of, signed),
  },
  csv: {
    file: 'certification.csv',
    about: 'one line per check, for spreadsheets',
    write: async (of) => (await import('./formats.ts')).csvReport(of),
  },
  badge: {
    file: 'badge.svg',
    about: 'a badge for a README',
    write: async (of) => (await import('./formats.ts')).badgeReport(of),
  },
} as const satisfies Readonly<Record<ReportName, Report>>

export type { ReportName }

export const isReportName = (text: string): text is ReportName => Object.hasOwn(reports, text)
