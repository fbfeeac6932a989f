import type { InboxResponse, InboxSummary } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { Card, ChipButton } from '../parts/bits.tsx'
import { TextForm } from '../parts/form.tsx'

type Script = Pick<InboxSummary, 'responses' | 'responses_sent'>

const word = (answer: InboxResponse) => (answer === 'timeout' ? 'no response' : String(answer))
const toneOf = (answer: InboxResponse) =>
  answer === 'timeout' || answer >= 400 ? 'bad' : answer >= 300 ? 'info' : 'good'

/** The scripted responses of an inbox; the next one is highlighted and the last one repeats. */
export function Answers({ of: { responses: answers, responses_sent } }: { of: Script }) {
  const next = Math.min(responses_sent, answers.length - 1)
  // Shows the responses around the next one if there are many.
  const from = Math.max(0, Math.min(next - 1, answers.length - 4))
  const some = answers.slice(from, from + 4)
  return (
    <span class="script">
      {from > 0 && <span class="soft">…</span>}
      {some.map((answer, n) => {
        const place = from + n
        const said = place === next ? 'next' : place < next ? 'used' : 'later'
        return (
          <span
            key={place}
            class={`pill ${toneOf(answer)} ${place === next ? 'next' : place < next ? 'past' : ''}`}
            title={said}
          >
            {word(answer)}
            <span class="unseen">, {said}</span>
          </span>
        )
      })}
      {from + 4 < answers.length && <span class="soft">…</span>}
    </span>
  )
}

const usual: readonly (readonly [title: string, answers: readonly InboxResponse[]])[] = [
  ['Accept: 200', [200]],
  ['Fail: 500', [500]],
  ['Refuse: 401', [401]],
  ['Gone: 410', [410]],
  ['Time out', ['timeout']],
  ['500, 500, 200', [500, 500, 200]],
]

/** Sets the responses of an inbox. */
export function AnswersForm({ name, of, changed }: { name: string; of: Script; changed: () => void }) {
  const set = (answers: readonly InboxResponse[]) =>
    act(async ({ client }) => {
      await client.inbox.respond(answers, name)
      changed()
      return `Next responses: ${answers.map(word).join(', then ')}.`
    })
  const same = (answers: readonly InboxResponse[]) =>
    of.responses_sent === 0 && JSON.stringify(answers) === JSON.stringify(of.responses)
  return (
    <Card
      title="Responses"
      beside={
        <>
          <Answers of={of} />
          <span class="soft actions">{of.responses.length > 1 ? 'in order; the last one repeats' : ''}</span>
        </>
      }
    >
      <div class="in-card chips">
        {usual.map(([title, answers]) => (
          <ChipButton
            key={title}
            pressed={same(answers)}
            disabled={busy.value}
            onClick={() => void set(answers)}
          >
            {title}
          </ChipButton>
        ))}
        <TextForm
          label="Several responses, in order"
          placeholder="503, timeout, 200"
          action="Set"
          needs="change"
          send={(text) => set(answersOf(text))}
        />
      </div>
    </Card>
  )
}

/** Invalid numbers are sent as typed, so that the sandbox reports the error. */
const answersOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((each) => (/^\d+$/.test(each) ? Number(each) : each)) as InboxResponse[]
