import { useEffect, useId, useState } from 'preact/hooks'
import type { World } from '../../src/generated/control/types.ts'
import { mayOwn } from '../core/access.ts'
import { act, busy } from '../core/actions.ts'
import { SandboxError, wordsOf } from '../core/api.ts'
import { counted } from '../core/format.ts'
import {
  changeOf,
  faultsIn,
  fields,
  groups,
  names,
  rebased,
  type Typed,
  typedOf,
} from '../core/world-fields.ts'
import { Button } from '../parts/bits.tsx'
import { Costs, Tiers } from './world-limits.tsx'

/** The settings of a world. @param again - called after a change */
export function WorldSettings({ world, again }: { world: World; again: () => void }) {
  const [base, setBase] = useState(() => typedOf(world))
  const [now, setNow] = useState(base)
  const [faults, setFaults] = useState<{ readonly [field: string]: string }>({})
  useEffect(() => {
    const fresh = typedOf(world)
    setNow((typed) => rebased(base, typed, fresh))
    setBase(fresh)
  }, [world])
  const change = changeOf(base, now)
  const many = Object.keys(change).length
  const save = (event: Event) => {
    event.preventDefault()
    setFaults({})
    void act(async ({ client }) => {
      try {
        const changed = await client.configure(change)
        const fresh = typedOf(changed)
        setBase(fresh)
        setNow(fresh)
        again()
        return 'Settings changed.'
      } catch (error) {
        if (error instanceof SandboxError && error.status === 400) {
          setFaults(faultsIn(wordsOf(error)))
          return undefined
        }
        throw error
      }
    }, 'own')
  }
  const set = (part: Partial<Typed>) => setNow({ ...now, ...part })
  const text = (name: keyof Typed['texts'], value: string) => set({ texts: { ...now.texts, [name]: value } })
  return (
    <form class="card settings-form" aria-label="Settings" onSubmit={save}>
      <header class="bar">
        <h2>Settings</h2>
        <span class="actions">
          {many > 0 && (
            <Button
              needs="read"
              onClick={() => {
                setNow(base)
                setFaults({})
              }}
            >
              Discard
            </Button>
          )}
          <Button needs="own" kind="main" type="submit" disabled={many === 0 || busy.value}>
            {many === 0 ? 'Save' : `Save ${counted(many, 'change')}`}
          </Button>
        </span>
      </header>
      {faults['other'] && (
        <p class="in-card wrong" role="alert">
          {faults['other']}
        </p>
      )}
      <fieldset disabled={!mayOwn.value}>
        <Text
          title="Name"
          about="Does not change the world's key."
          value={now.name}
          fault={faults['name']}
          set={(name) => set({ name })}
        />
      </fieldset>
      {groups.map((group) => (
        <fieldset key={group} disabled={!mayOwn.value}>
          <legend>{group}</legend>
          {names
            .filter((name) => fields[name].group === group)
            .map((name) => {
              const { title, about, choices, numeric } = fields[name]
              return (
                <Text
                  key={name}
                  title={title}
                  about={about}
                  value={now.texts[name]}
                  numeric={numeric}
                  choices={choices as readonly (readonly [string, string])[] | undefined}
                  fault={faults[name]}
                  set={(value) => text(name, value)}
                />
              )
            })}
        </fieldset>
      ))}
      <details class="fold" open={Boolean(faults['tiers'] ?? faults['costs'])}>
        <summary>Limits of KYC tiers, and costs</summary>
        <fieldset disabled={!mayOwn.value}>
          <Tiers of={now.tiers} set={(tiers) => set({ tiers })} fault={faults['tiers']} />
          <Costs of={now.costs} set={(costs) => set({ costs })} fault={faults['costs']} />
        </fieldset>
      </details>
    </form>
  )
}

interface TextProps {
  readonly title: string
  readonly about: string
  readonly value: string
  readonly fault: string | undefined
  readonly numeric?: true | undefined
  readonly choices?: readonly (readonly [value: string, title: string])[] | undefined
  readonly set: (value: string) => void
}

/** One setting with its explanation or error. */
function Text({ title, about, value, fault, numeric, choices, set }: TextProps) {
  const id = useId()
  const said = {
    id,
    'aria-describedby': `${id}-about`,
    'aria-invalid': fault !== undefined,
    value,
  }
  return (
    <div class="setting">
      <label for={id}>{title}</label>
      {choices ? (
        <select {...said} onChange={({ currentTarget }) => set(currentTarget.value)}>
          {choices.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...said}
          inputMode={numeric ? 'decimal' : 'text'}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      <p id={`${id}-about`} class={fault ? 'wrong small' : 'soft small'} role={fault ? 'alert' : undefined}>
        {fault ?? about}
      </p>
    </div>
  )
}
