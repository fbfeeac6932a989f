import { hrefOf, page, route } from '../core/route.ts'

interface Props {
  readonly label: string
  /** The query parameter of the filter. */
  readonly name: string
  readonly values: { readonly [value: string]: string }
}

/** One filter of a list, stored in the address. */
export function FilterChips({ label, name, values }: Props) {
  const { [name]: chosen, ...others } = route.value.query
  return (
    <nav class="chips" aria-label={label}>
      <a
        class="chip"
        href={hrefOf(page.value, undefined, others)}
        aria-current={chosen === undefined ? 'true' : undefined}
      >
        All
      </a>
      {Object.entries(values).map(([value, title]) => (
        <a
          key={value}
          class="chip"
          href={hrefOf(page.value, undefined, { ...others, [name]: value })}
          aria-current={chosen === value ? 'true' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
