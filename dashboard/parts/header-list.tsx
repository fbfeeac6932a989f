import { Block } from './bits.tsx'

interface Props {
  readonly label: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

export const HeaderList = ({ label, headers }: Props) => (
  <details class="fold">
    <summary>{`Headers, ${headers.length}`}</summary>
    <Block label={label} text={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')} />
  </details>
)
