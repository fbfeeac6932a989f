import type { Phone, Prompt, WorldEvent } from '../../src/client/types.ts'
import { refusal } from './access.ts'
import { act, busy, say } from './actions.ts'
import { wordsOf } from './api.ts'
import { useValue } from './resource.ts'
import { session } from './session.ts'
import { keptInWindow } from './settings.ts'
import { watchPhones } from './store.ts'
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Screen = 'loading' | 'off' | 'prompt' | 'sending' | 'ended' | 'home' | 'menu'

export interface Handset {
  readonly number: string
  readonly phone: Phone | undefined
  readonly error: string
  readonly screen: Screen
  /** The oldest waiting prompt. */
  readonly prompt: Prompt | undefined
  /** The result of the last prompt seen here. */
  readonly ended: Prompt | undefined
  readonly typed: string
  press(digit: string): void
  erase(): void
  /** Sends the PIN if it is long enough. */
  send(): void
  response(pin: string): Promise<boolean>
  cancel(): void
  /** Closes the result. */
  dismiss(): void
  show(screen: 'home' | 'menu'): void
}

/** PINs have 4 to 6 digits. */
const SHORTEST = 4
const LONGEST = 6
/** Milliseconds for which an automatically answered prompt is visible. */
const SEEN = 900

const kept = keptInWindow('answer for me', false)
/** Whether the open handset enters the right PIN automatically. */
export const answersForMe = signal(kept.get())
export function answerForMe(on: boolean): void {
  kept.set(on)
  answersForMe.value = on
}

/** Counts the window as a watcher of the phones while the component is shown. */
export function useWatching(on = true): void {
  // A read-only key cannot answer prompts.
  const may = on && refusal('change') === undefined
  useEffect(() => (may ? watchPhones() : undefined), [may])
}

const isAbout =
  (number: string) =>
  ({ type, data }: WorldEvent) =>
    (type === 'prompt' && data['phone'] === number) ||
    (type === 'phone' && (data['number'] === number || data['id'] === number)) ||
    (type === 'transaction' && (data['party'] === number || data['paid_by'] === number)) ||
    type === 'settings'

export function useHandset(number: string): Handset {
  const { client, world } = session.value!
  const { value: phone, error } = useValue(
    () => client.phone(number).show(),
    [world, number],
    isAbout(number),
  )
  const [typed, showTyped] = useState('')
  /** The digits before the next rendering: keys can follow each other faster. */
  const digits = useRef('')
  const setTyped = (next: string) => {
    digits.current = next
    showTyped(next)
  }
  const [sending, setSending] = useState(false)
  const [menu, setMenu] = useState(false)
  const [dismissed, setDismissed] = useState('')
  /** The prompt answered here; until the phone is reloaded, it still appears to wait. */
  const [answered, setAnswered] = useState('')
  /** The last prompt seen waiting. */
  const seen = useRef('')
  const waiting = phone?.prompts.filter(({ state }) => state === 'waiting') ?? []
  const prompt = waiting.findLast(({ id }) => id !== answered)
  const underWay = sending || (!prompt && waiting.length > 0)
  if (prompt) seen.current = prompt.id
  const ended = prompt ? undefined : phone?.prompts.find(({ id }) => id === seen.current && id !== dismissed)

  useLayoutEffect(() => setTyped(''), [prompt?.id, number])
  useEffect(() => {
    seen.current = ''
    setMenu(false)
  }, [number])

  const answer = async (with_: { pin: string } | { cancel: true }) => {
    if (!prompt) return false
    setSending(true)
    const done = await act(async () => void (await client.prompts.respond(prompt.id, with_)))
    if (done) setAnswered(prompt.id)
    setSending(false)
    setTyped('')
    return done
  }
  useEffect(() => {
    const pin = phone?.pin ?? ''
    if (!prompt || !answersForMe.value || !/^\d+$/.test(pin)) return
    const timer = setTimeout(
      () =>
        client.prompts.respond(prompt.id, { pin }).catch((failure: unknown) => say(wordsOf(failure), true)),
      SEEN,
    )
    return () => clearTimeout(timer)
  }, [prompt?.id, answersForMe.value, phone?.pin])

  const screenOf = (): Screen => {
    if (!phone) return 'loading'
    if (!phone.on) return 'off'
    if (underWay) return 'sending'
    return prompt ? 'prompt' : ended ? 'ended' : menu ? 'menu' : 'home'
  }
  return {
    number,
    phone,
    error,
    screen: screenOf(),
    prompt,
    ended,
    typed,
    press: (digit) => setTyped((digits.current + digit).slice(0, LONGEST)),
    erase: () => setTyped(digits.current.slice(0, -1)),
    send() {
      if (digits.current.length >= SHORTEST && !busy.peek()) void answer({ pin: digits.current })
    },
    response: (pin) => answer({ pin }),
    cancel: () => void answer({ cancel: true }),
    dismiss: () => setDismissed(seen.current),
    show: (screen) => setMenu(screen === 'menu'),
  }
}
