import type { Certification, ReportName } from '../certification.ts'
import type { CheckedSignature } from '../verify.ts'

const formats = () => import('./formats.ts')

/** All formats. Each loads its module on first use. */
export const reports = {
  html: {
    file: 'certification.html',
    write: async (of, signed?) => (await import('./html.ts')).htmlReport(of, signed),
  },
  json: { file: 'certification.json', write: (of) => `${JSON.stringify(of, null, 2)}\n` },
  junit: { file: 'junit.xml', write: async (of) => (await formats()).junitReport(of) },
  ctrf: { file: 'ctrf.json', write: async (of) => (await formats()).ctrfReport(of) },
  sarif: { file: 'certification.sarif', write: async (of) => (await formats()).sarifReport(of) },
  markdown: {
    file: 'summary.md',
    write: async (of, signed?) => (await import('./markdown.ts')).markdownReport(of, signed),
  },
  csv: { file: 'certification.csv', write: async (of) => (await formats()).csvReport(of) },
  badge: { file: 'badge.svg', write: async (of) => (await formats()).badgeReport(of) },
} as const satisfies {
  readonly [Name in ReportName]: {
    readonly file: string
    /** @param signed the verified signature */
    readonly write: (certification: Certification, signed?: CheckedSignature) => string | Promise<string>
  }
}

export type { ReportName }

export const isReportName = (text: string): text is ReportName => Object.hasOwn(reports, text)
