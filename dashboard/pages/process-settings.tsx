import { useEffect, useState } from 'preact/hooks'
import type { AdminSettings, DelayDistribution } from '../../src/generated/control/types.ts'
import { askAdmin } from '../core/admin.ts'
import { wordsOf } from '../core/api.ts'
import { say } from '../core/notice.ts'
import { Button } from '../parts/bits.tsx'

type Form = 'none' | DelayDistribution['type']

/** The parts of each kind of delay: field, label, minimum, maximum and step. */
const parts = {
  none: [],
  fixed: [['milliseconds', 'Milliseconds', 0, 10_000, 50, 200]],
  uniform: [
    ['lower', 'Least, ms', 0, 10_000, 50, 50],
    ['upper', 'Most, ms', 0, 10_000, 50, 400],
  ],
  lognormal: [
    ['median', 'Middle, ms', 0, 10_000, 50, 120],
    ['sigma', 'Spread', 0, 3, 0.1, 0.4],
  ],
} as const satisfies Record<
  Form,
  readonly (readonly [keyof DelayDistribution, string, number, number, number, number])[]
>

const forms: { readonly [form in Form]: string } = {
  none: 'none',
  fixed: 'fixed',
  uniform: 'uniform',
  lognormal: 'log-normal',
}

/** Random delays and failures of all worlds, and defaults of new worlds. */
export function Disturbances({ now, changed }: { now: AdminSettings; changed: () => void }) {
  const [form, setForm] = useState<Form>(now.delay?.type ?? 'none')
  const [delay, setDelay] = useState<Partial<Record<string, number>>>({
    ...now.delay,
    type: undefined,
  } as never)
  const [percent, setPercent] = useState((now.chaos?.probability ?? 0) * 100)
  const [status, setStatus] = useState(String(now.chaos?.status ?? ''))
  const [validation, setValidation] = useState(now.validation)
  const [wrong, setWrong] = useState('')
  const about = JSON.stringify(now)
  // Follows changes by other windows.
  useEffect(() => {
    setForm(now.delay?.type ?? 'none')
    setDelay({ ...now.delay, type: undefined } as never)
    setPercent((now.chaos?.probability ?? 0) * 100)
    setStatus(String(now.chaos?.status ?? ''))
    setValidation(now.validation)
  }, [about])
  const apply = async (event: Event) => {
    event.preventDefault()
    setWrong('')
    const made = parts[form].map(([name, , , , , usual]) => [name, delay[name] ?? usual])
    try {
      await askAdmin('PATCH', '/__admin/settings', {
        validation,
        delay: form === 'none' ? null : { type: form, ...Object.fromEntries(made) },
        chaos:
          percent === 0
            ? null
            : { probability: percent / 100, ...(status !== '' && { status: Number(status) }) },
      })
      say('Applies to new requests in all worlds.')
      changed()
    } catch (error) {
      setWrong(wordsOf(error))
    }
  }
  return (
    <form class="card settings-form" aria-label="Delays and failures" onSubmit={(event) => void apply(event)}>
      <header class="bar">
        <h2>Delays and failures in all worlds</h2>
        <span class="actions">
          <Button needs="read" kind="main" type="submit">
            Apply
          </Button>
        </span>
      </header>
      <fieldset>
        <legend>Delay requests</legend>
        <label>
          Distribution
          <select value={form} onChange={({ currentTarget }) => setForm(currentTarget.value as Form)}>
            {Object.entries(forms).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {parts[form].map(([name, title, least, most, step, usual]) => (
          <Slider
            key={name}
            title={title}
            least={least}
            most={most}
            step={step}
            value={delay[name] ?? usual}
            set={(value) => setDelay({ ...delay, [name]: value })}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>Fail requests at random</legend>
        <Slider title="Percentage" least={0} most={100} step={1} value={percent} set={setPercent} />
        <label>
          With
          <select
            value={status}
            disabled={percent === 0}
            onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          >
            <option value="">500 or 503</option>
            <option value="500">500</option>
            <option value="503">503</option>
          </select>
        </label>
      </fieldset>
      <fieldset>
        <legend>Default for worlds</legend>
        <label>
          Require
          <select
            value={validation}
            onChange={({ currentTarget }) =>
              setValidation(currentTarget.value as AdminSettings['validation'])
            }
          >
            <option value="documented">all documented fields</option>
            <option value="lenient">as few as older clients send</option>
          </select>
        </label>
      </fieldset>
      {wrong && (
        <p class="in-card wrong" role="alert">
          {wrong}
        </p>
      )}
    </form>
  )
}

interface SliderProps {
  readonly title: string
  readonly least: number
  readonly most: number
  readonly step: number
  readonly value: number
  readonly set: (value: number) => void
}

const Slider = ({ title, least, most, step, value, set }: SliderProps) => (
  <label>
    {title}
    <span class="slider">
      <input
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        onInput={({ currentTarget }) => set(Number(currentTarget.value))}
      />
      <output class="num">{value.toLocaleString('en')}</output>
    </span>
  </label>
)
