/** Forms that follow the schema of a request. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Need, refusal, refused } from '../core/access.ts'
import { busy, say, sentence } from '../core/actions.ts'
import { SandboxError, wordsOf } from '../core/api.ts'
import { bodyOf, faultsIn, type FormSchema, rebased, type TypedObject, typedOf } from '../core/form.ts'
import { counted } from '../core/format.ts'
import { expired, session } from '../core/session.ts'
import { Button } from './bits.tsx'
import { type FieldOptions, Fields, type InputAttributes } from './fields.tsx'

interface Props<Body extends object> {
  readonly of: FormSchema
  readonly fields?: { readonly [name in keyof Body]?: FieldOptions }
  readonly action: string
  /** @returns a notice, or false if it failed with a notice */
  readonly send: (body: Body) => Promise<string | boolean | void>
  readonly needs?: Need
  readonly initial?: { readonly [name in keyof Body]?: unknown }
  /** Whether only fields that differ from `initial` are sent. */
  readonly isChange?: boolean
  /** Whether each change is sent at once; texts when the reader leaves them. */
  readonly instant?: boolean
  /** Whether the fields keep their values after success. */
  readonly keep?: boolean
  readonly label?: string
  /** The heading of a card. */
  readonly title?: string
  /** The label of a search that filters the fields. */
  readonly search?: string
  /** Whether fields stand next to each other. */
  readonly row?: boolean
  /** Whether help is only a tooltip. */
  readonly brief?: boolean
  readonly class?: string
  readonly kind?: 'main' | 'danger'
  /** Follows the fields. */
  readonly children?: (body: Body) => ComponentChildren
}

/** A form whose labels, help, choices, limits and errors come from the description of the API. */
export function Form<Body extends object = Readonly<Record<string, string>>>(props: Props<Body>) {
  const { of, fields = {}, action, send, needs = 'change', initial, isChange, instant, row = false } = props
  const brief = props.brief ?? row
  const options = fields as { readonly [name: string]: FieldOptions | undefined }
  const start = typedOf(of, initial) as TypedObject
  const [base, setBase] = useState(start)
  const [typed, setTyped] = useState(start)
  const [faults, setFaults] = useState<{ readonly [field: string]: string }>({})
  const [sending, setSending] = useState(false)
  const [due, setDue] = useState(0)
  const [wanted, setWanted] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    setTyped((now) => rebased(base, now, start))
    setBase(start)
  }, [JSON.stringify(start)])
  useEffect(() => {
    form.current!.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])
  const body = bodyOf(of, typed, isChange || instant ? base : undefined) as Body
  const many = Object.keys(body).length
  const submit = async (event?: Event) => {
    event?.preventDefault()
    if (sending || busy.peek() || refused(needs)) return
    setSending(true)
    setFaults({})
    setWanted('')
    try {
      const done = await send(body)
      if (typeof done === 'string') say(done)
      if (done === false || props.keep) return setSending(false)
      if (isChange || instant) setBase(typed)
      else setTyped(base)
    } catch (error) {
      if (error instanceof SandboxError && error.status === 401 && session.peek()) expired()
      // The reader closed the form meanwhile.
      else if (!form.current) say(sentence(wordsOf(error)), true)
      else setFaults(faultsIn(wordsOf(error), Object.keys(of.fields!)))
    }
    setSending(false)
  }
  useEffect(() => {
    if (due > 0 && many > 0) void submit()
  }, [due])
  const why = refusal(needs)
  const buttons = (
    <>
      {isChange && many > 0 && (
        <Button
          needs="read"
          onClick={() => {
            setTyped(base)
            setFaults({})
          }}
        >
          Discard
        </Button>
      )}
      {!instant && (
        <Button
          needs={needs}
          kind={row || props.kind === 'danger' ? props.kind : 'main'}
          type="submit"
          disabled={sending || (isChange && many === 0)}
        >
          {isChange && many > 0 ? `${action} ${counted(many, 'change')}` : action}
        </Button>
      )}
    </>
  )
  return (
    <form
      ref={form}
      class={`form ${props.title ? 'card with-bar' : ''} ${row ? 'in-row' : ''} ${props.class ?? ''}`}
      aria-label={props.label ?? props.title}
      aria-busy={sending}
      onSubmit={(event) => void submit(event)}
      onChange={() => instant && setDue(due + 1)}
    >
      {props.title && (
        <header class="bar">
          <h2>{props.title}</h2>
          {props.search && (
            <input
              class="name"
              type="search"
              aria-label={props.search}
              placeholder={props.search}
              value={wanted}
              onInput={({ currentTarget }) => setWanted(currentTarget.value)}
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
          )}
          <span class="actions">{buttons}</span>
        </header>
      )}
      <fieldset disabled={why !== undefined} title={why}>
        <Fields
          of={of.fields!}
          options={options}
          typed={typed}
          set={setTyped}
          faults={faults}
          brief={brief}
          base={isChange ? base : undefined}
          wanted={wanted}
        />
      </fieldset>
      {props.children?.(body)}
      {faults[''] && (
        <p class="wrong" role="alert">
          {faults['']}
        </p>
      )}
      {!props.title && buttons}
    </form>
  )
}

/** A form with one text, such as a name to open. */
export function TextForm({
  label,
  action,
  send,
  needs = 'read',
  ...input
}: {
  readonly label: string
  readonly action: string
  readonly send: (text: string) => Promise<unknown> | void
  readonly needs?: Need
} & InputAttributes) {
  const [text, setText] = useState('')
  return (
    <form
      class="joined"
      onSubmit={(event) => {
        event.preventDefault()
        void Promise.resolve(send(text.trim())).then((done) => done !== false && setText(''))
      }}
    >
      <input
        class="name"
        aria-label={label}
        required
        autocomplete="off"
        spellcheck={false}
        {...(input as object)}
        value={text}
        disabled={refusal(needs) !== undefined}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button needs={needs} type="submit">
        {action}
      </Button>
    </form>
  )
}
