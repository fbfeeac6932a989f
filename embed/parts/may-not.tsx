import type { ShownSheet } from '../../src/pages/embed/sheet.ts'

/** Explains why the page cannot send requests and where the reader can. */
export const MayNot = ({ sheet, server }: { readonly sheet: ShownSheet; readonly server: string }) =>
  sheet.mayTry ? null : (
    <span class="soft">
      This page may not send requests until the sandbox has{' '}
      <code>SANDBOX_CORS_ORIGINS={location.origin}</code>.{' '}
      <a href={`${server}/docs`} target="_blank" rel="noopener">
        Try it at the sandbox
      </a>
    </span>
  )
