import type { ChangePhoneRequest, Phone } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { answerForMe, answersForMe, type Handset } from '../core/handset.ts'
import { Switch } from '../parts/switch.tsx'
import { Button, Card } from '../parts/bits.tsx'

/** One button per way to end a prompt. */
export function QuickAnswers({ of, phone }: { of: Handset; phone: Phone }) {
  const { prompt } = of
  const idle = busy.value || !prompt || of.screen !== 'prompt'
  const { number, pin } = phone
  const right = /^\d+$/.test(pin) ? pin : '1234'
  const wrong = right === '0000' ? '1111' : '0000'
  const broken = (change: ChangePhoneRequest, done: string) =>
    void act(async ({ client }) => {
      await client.phone(number).change(change)
      return done
    })
  const shortOfMoney = () =>
    void act(async ({ client }) => {
      await client.phone(number).change({ balance: 0, currency: prompt!.currency })
      await client.prompts.respond(prompt!.id, { pin: right })
      return 'The balance is now 0. You can change it below.'
    })
  const ignore = () =>
    void act(async ({ client }) => {
      await client.phone(number).ignore()
      return "The prompt expired; the world's clock was advanced."
    })
  return (
    <Card
      title="Quick answers"
      beside={<span class="soft small">{prompt ? 'A prompt is waiting.' : 'No prompt is waiting.'}</span>}
      actions={
        <Switch on={answersForMe.value} set={answerForMe}>
          Answer for me
        </Switch>
      }
    >
      <div class="row in-card">
        <Button kind="main" disabled={idle} onClick={() => void of.response(right)}>
          Right PIN
        </Button>
        <Button disabled={idle} onClick={() => void of.response(wrong)}>
          Wrong PIN
        </Button>
        <Button disabled={idle} onClick={of.cancel}>
          Cancel
        </Button>
        <Button disabled={idle || prompt?.expires_at === null} onClick={ignore}>
          Ignore
        </Button>
        <Button disabled={idle} onClick={shortOfMoney}>
          No money
        </Button>
        <Button disabled={busy.value || !phone.on} onClick={() => broken({ on: false }, 'The phone is off.')}>
          Phone off
        </Button>
        <Button
          disabled={busy.value || !phone.registered}
          onClick={() => broken({ registered: false }, 'The phone is not registered for mobile money.')}
        >
          Not registered
        </Button>
        <Button
          disabled={busy.value || phone.operator === 'busy'}
          onClick={() => broken({ operator: 'busy' }, 'The operator is busy.')}
        >
          Operator busy
        </Button>
      </div>
    </Card>
  )
}
