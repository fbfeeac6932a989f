import { hrefOf, route } from '../core/route.ts'
import { Icon } from './icon.tsx'

/** States that a list shows one group of failures. */
export const OneGroup = ({ what }: { what: string }) => (
  <p class="bar-note">
    <Icon name="search" />
    <span>Only the {what} that failed for one cause.</span>
    <a class="button" href={hrefOf(route.value.page)}>
      Show all
    </a>
  </p>
)
