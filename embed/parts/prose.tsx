import type { Prose as Texts } from '../../src/pages/guides/prose.ts'

/** Renders formatted text of the description without parsing markup. */
export const Prose = ({ of }: { readonly of: Texts }) => (
  <>
    {of.map((each, at) => {
      if (typeof each === 'string') return each
      const inside = <Prose of={each.in} />
      if (each.name === 'a')
        return (
          <a key={at} href={each.to} rel="noopener">
            {inside}
          </a>
        )
      if (each.name === 'pre') return <Scrolled key={at}>{inside}</Scrolled>
      if (each.name === 'table')
        return (
          <div key={at} class="wide" tabIndex={0} role="group" aria-label="Table">
            <table>
              <tbody>{inside}</tbody>
            </table>
          </div>
        )
      const Name = each.name
      return <Name key={at}>{inside}</Name>
    })}
  </>
)

/** Code that scrolls on its own, also by keyboard. */
export const Scrolled = ({ children, label }: { readonly children: unknown; readonly label?: string }) => (
  <pre tabIndex={0} {...(label && { role: 'group', 'aria-label': label })}>
    <code>{children as never}</code>
  </pre>
)
