import type { ShownSheet } from '../../src/pages/embed/sheet.ts'

/** Why a page cannot send, what would let it, and where the reader can; nothing where it can. */
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
