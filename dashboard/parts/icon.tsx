import { icons, type IconName } from '../core/icons.ts'

export type { IconName }

/** Decorative: the adjacent text says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={icons[name]} />
  </svg>
)
