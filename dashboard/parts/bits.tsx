import { tokensOf } from '../../embed/parts/json.tsx'
import { type Need, refusal } from '../core/access.ts'
import { busy, copy } from '../core/actions.ts'
import { dayOf, endOf, timeOf } from '../core/format.ts'
import type { Tone } from '../core/names.ts'
import { clock } from '../core/world-clock.ts'
import { Icon, type IconName } from './icon.tsx'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'

export const Pill = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>{children}</span>
)

const tones: { readonly [status: string]: Tone } = {
  SUCCESS: 'good',
  FAILED: 'bad',
  QUEUED: 'wait',
  REVERSED: 'info',
  delivered: 'good',
  approved: 'good',
  accepted: 'good',
  failed: 'bad',
  rejected: 'bad',
  declined: 'bad',
  pending: 'wait',
  in_review: 'wait',
  sent: 'wait',
}

export const Status = ({ of }: { of: string }) => (
  <Pill tone={tones[of] ?? 'plain'}>{of.replace('_', ' ')}</Pill>
)

/** An HTTP status; null if there is no response. */
export const Code = ({ status }: { status: number | null }) =>
  status === null ? (
    <Pill tone="wait">open</Pill>
  ) : (
    <Pill tone={status >= 400 ? 'bad' : status >= 300 ? 'info' : 'good'}>{status}</Pill>
  )

/** A time on the world's clock, with the day unless it is today. */
export function Time({ at, precise = false }: { at: string; precise?: boolean }) {
  const date = new Date(at)
  const now = Date.parse(clock.value?.now ?? at)
  const today = date.toDateString() === new Date(now).toDateString()
  const millis = precise ? `.${String(date.getMilliseconds()).padStart(3, '0').slice(0, 1)}` : ''
  return (
    <time class="num" dateTime={at} title={`${at} (world time)`}>
      {today ? '' : `${dayOf(date, now)} `}
      {timeOf(date)}
      {millis}
    </time>
  )
}

/** The search text whose hits a list marks. */
export const Sought = createContext('')

/** A time under a heading with its day. */
export const TimeOfDay = ({ at }: { at: string }) => (
  <time class="num soft" dateTime={at} title={`${at} (world time)`}>
    {timeOf(new Date(at))}
  </time>
)

/** Text from others, such as a name: isolated from the page's text direction, with search hits marked. */
export function Said({ children, mono }: { children: string | number | null | undefined; mono?: boolean }) {
  const text = String(children ?? '')
  return <bdi class={mono ? 'mono' : undefined}>{marked(text, hitsIn(text, useContext(Sought)))}</bdi>
}

function marked(text: string, hits: readonly Hit[]): ComponentChildren {
  if (hits.length === 0) return text
  return [
    ...hits.flatMap(([from, to], n) => [
      text.slice(hits[n - 1]?.[1] ?? 0, from),
      <mark key={from}>{text.slice(from, to)}</mark>,
    ]),
    text.slice(hits.at(-1)![1]),
  ]
}

export const Key = ({ children }: { children: string }) => <kbd>{children}</kbd>

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly icon?: IconName
  readonly kind?: 'main' | 'quiet' | 'danger'
  readonly keys?: string
  readonly title?: string
  readonly disabled?: boolean
  readonly pressed?: boolean
  /** Whether it is small, for dense groups. */
  readonly chip?: boolean
  readonly type?: 'button' | 'submit'
  /** The role that the button requires; `read` if it changes nothing. */
  readonly needs?: Need
}

export const Button = ({
  children,
  onClick,
  icon,
  kind,
  keys,
  title,
  disabled,
  pressed,
  chip,
  type,
  needs = 'change',
}: ButtonProps) => {
  const why = refusal(needs)
  // Not disabled while another action runs, because it would lose the focus.
  const waits = needs !== 'read' && busy.value
  return (
    <button
      type={type ?? 'button'}
      class={chip ? 'chip' : `button ${kind ?? ''}`}
      onClick={() => !waits && onClick?.()}
      title={why ?? title}
      disabled={disabled === true || why !== undefined}
      aria-disabled={waits || undefined}
      aria-pressed={pressed}
      aria-keyshortcuts={keys}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && <Key>{keys}</Key>}
    </button>
  )
}

export const ChipButton = (props: ButtonProps) => <Button {...props} chip />

export const IconButton = ({
  icon,
  label,
  onClick,
  needs = 'change',
}: {
  icon: IconName
  label: string
  onClick: () => void
  needs?: Need
}) => {
  const why = refusal(needs)
  return (
    <button
      type="button"
      class="button quiet square"
      aria-label={label}
      title={why ?? label}
      disabled={why !== undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

/** Folds and unfolds the line that it is in. */
export const FoldButton = ({
  open,
  label,
  onClick,
}: {
  open: boolean
  label: string
  onClick: () => void
}) => (
  <button type="button" class="fold-button" aria-expanded={open} aria-label={label} onClick={onClick}>
    <Icon name="down" />
  </button>
)

interface BlockProps {
  readonly label: string
  readonly text: string
  /** Shown instead of `text`, which is copied. */
  readonly children?: ComponentChildren
}

/** Longer texts are not coloured. */
const PAINTED = 20_000

/** JSON with colours and search hits; other texts only with hits. */
function painted(text: string, sought: string): ComponentChildren {
  const mark = (piece: string) => marked(piece, hitsIn(piece, sought))
  if (text.length > PAINTED || !/^\s*[[{]/.test(text)) return mark(text)
  return tokensOf(text).map(({ text: piece, kind }, n) => (
    <span key={n} class={kind && `json-${kind}`}>
      {mark(piece)}
    </span>
  ))
}

export const Block = ({ label, text, children = text }: BlockProps) => (
  <div class="block">
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{typeof children === 'string' ? painted(children, useContext(Sought)) : children}</code>
    </pre>
    <IconButton needs="read" icon="copy" label={`Copy: ${label}`} onClick={() => void copy(text, label)} />
  </div>
)

/** Facts without a value are left out. */
export const Facts = ({
  of,
  bare = false,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[]
  bare?: boolean
}) => (
  <dl class={bare ? 'facts bare' : 'facts'}>
    {of.map(
      ([name, value]) =>
        value !== null &&
        value !== undefined &&
        value !== false && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

interface CardProps {
  readonly title: string
  /** The name of its region; by default the title. */
  readonly label?: string
  readonly class?: string
  /** Shown next to the title. */
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}

const Head = ({ title, beside, actions }: CardProps) => (
  <header class="bar">
    <h2>
      <Said>{title}</Said>
    </h2>
    {beside}
    {actions && <span class="actions">{actions}</span>}
  </header>
)

/** A part of a page, which is a region of its own. */
export const Card = (props: CardProps) => (
  <section class={`card ${props.class ?? ''}`} aria-label={props.label ?? props.title}>
    <Head {...props} />
    {props.children}
  </section>
)

/** The open item of a list. */
export const Article = (props: CardProps) => (
  <article class={`card ${props.class ?? ''}`} aria-label={props.label}>
    <Head {...props} />
    {props.children}
  </article>
)

/** The choices of a select, whose empty one is `none`. */
export const Options = ({
  of,
  none,
}: {
  of: readonly (readonly [value: string, title: string])[]
  none?: string | undefined
}) => (
  <>
    {none !== undefined && <option value="">{none}</option>}
    {of.map(([value, title]) => (
      <option key={value} value={value}>
        {title}
      </option>
    ))}
  </>
)

interface PickProps {
  readonly label: string
  readonly options: readonly (readonly [value: string, title: string])[]
  readonly action: string
  readonly disabled?: boolean
  readonly onPick: (value: string) => void
}

/** A choice with the button that uses it. */
export function PickButton({ label, options, action, disabled, onPick }: PickProps) {
  const [picked, setPicked] = useState<string>()
  const value = picked ?? options[0]?.[0] ?? ''
  return (
    <span class="joined">
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => setPicked(currentTarget.value)}
      >
        <Options of={options} />
      </select>
      <Button disabled={disabled} onClick={() => onPick(value)}>
        {action}
      </Button>
    </span>
  )
}

/** A time by the clock of the reader. */
export const RealTime = ({ at, none = '' }: { at: string | null | undefined; none?: string }) =>
  at ? (
    <time class="num" dateTime={at} title={`${at} (real time)`}>
      {endOf(at)}
    </time>
  ) : (
    <span class="soft">{none}</span>
  )

/** Places of a search text in a shown text. */

export type Hit = readonly [from: number, to: number]

/**
 * Finds the places that a search marks. A number of at least three digits is also found in a phone number or
 * account that is written in another way, with spaces or a country code.
 */
export function hitsIn(text: string, wanted: string): readonly Hit[] {
  const word = wanted.trim().toLowerCase()
  if (word === '') return []
  const lower = text.toLowerCase()
  const hits: Hit[] = []
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
    hits.push([at, at + word.length])
  return hits.length > 0 ? hits : digitsIn(text, word)
}

function digitsIn(text: string, word: string): readonly Hit[] {
  if (!/^\+?[\d\s()-]+$/.test(word)) return []
  const digits = word.replace(/\D/g, '')
  const places = [...text].flatMap((each, n) => (/\d/.test(each) ? [n] : []))
  const shown = places.map((n) => text[n]).join('')
  // `0712…` is written `+254 712 …`, and the other way round.
  for (const form of [digits, digits.replace(/^0/, ''), digits.replace(/^\d{3}(?=\d{9}$)/, '')]) {
    const at = form.length < 3 ? -1 : shown.indexOf(form)
    if (at >= 0) return [[places[at]!, places[at + form.length - 1]! + 1]]
  }
  return []
}

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
