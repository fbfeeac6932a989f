import { busy } from './core/actions.ts'
import { dialog } from './core/dialogs.ts'
import { arrivals, page, route, thing } from './core/route.ts'
import { type Session, enter, gone, session, signIn, stopped, watchEnd } from './core/session.ts'
import { openWorld } from './core/store.ts'
import { Bars, Gone, Notices } from './frame/bars.tsx'
import { useFrameKeys } from './frame/commands.ts'
import { Palette } from './frame/palette.tsx'
import { SignInForm } from './frame/sign-in.tsx'
import { Nav, Tabs, Top } from './frame/top.tsx'
import { pages } from './pages.ts'
import { Empty, Loading, atNeed } from './parts/list-states.tsx'
import { effect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

effect(() => {
  void route.value.world
  void arrivals.value
  void enter()
})
// Each session shows one world and starts without state of the previous one.
let close: (() => void) | undefined
effect(() => {
  const now = session.value
  close?.()
  close = now && opened(now)
})
function opened(now: Session): () => void {
  const stops = [openWorld(), watchEnd(now)]
  return () => {
    for (const stop of stops) stop()
  }
}
effect(() => {
  const row = pages.find(({ id }) => id === page.value)
  const { world } = session.value ?? {}
  document.title = [row?.title, world, 'payments-sandbox'].filter(Boolean).join(' · ')
})

const dialogs = {
  palette: Palette,
  keys: atNeed(async () => (await import('./frame/dialogs.tsx')).KeysDialog),
  payment: atNeed(async () => (await import('./frame/payment-dialog.tsx')).PaymentDialog),
  advance: atNeed(async () => (await import('./frame/dialogs.tsx')).AdvanceDialog),
  world: atNeed(async () => (await import('./frame/dialogs.tsx')).WorldDialog),
  settle: atNeed(async () => (await import('./frame/dialogs.tsx')).SettleDialog),
  share: atNeed(async () => (await import('./frame/share-dialog.tsx')).ShareDialog),
}

export function App() {
  useFrameKeys()
  if (signIn.value) return <SignInForm />
  const Shown = dialog.value && dialogs[dialog.value]
  // A phone on its own, as opened on another device.
  if (route.value.query['alone'] !== undefined)
    return (
      <>
        <Main />
        {Shown && <Shown close={() => (dialog.value = undefined)} />}
        <Notices />
      </>
    )
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the page
      </a>
      <Top />
      <div class="under">
        <Nav />
        <Main />
      </div>
      {Shown && <Shown close={() => (dialog.value = undefined)} />}
      <Notices />
    </>
  )
}

function toMain(event: Event) {
  event.preventDefault()
  document.querySelector('main')!.focus()
}

function Main() {
  const row = pages.find(({ id }) => id === page.value)
  const ref = useRef<HTMLElement>(null)
  const place = useRef(0)
  /** Whether the list is visible; on narrow screens the detail replaces it. */
  const listed = () =>
    thing.peek() === undefined || ref.current!.querySelector('.of-list')?.checkVisibility() === true
  useLayoutEffect(() => {
    ref.current!.scrollTop = listed() ? place.current : 0
  }, [thing.value])
  useLayoutEffect(() => {
    ref.current!.scrollTop = place.current = 0
  }, [page.value, session.value?.world])
  return (
    <main
      id="main"
      tabIndex={-1}
      ref={ref}
      aria-busy={busy}
      onScroll={({ currentTarget }) => {
        if (listed()) place.current = currentTarget.scrollTop
      }}
    >
      {route.value.query['alone'] === undefined && <Tabs />}
      <Bars />
      {gone.value ? (
        <Gone />
      ) : stopped.value ? (
        <Empty icon="warn" title="This world cannot be shown" page>
          <p>{stopped.value}</p>
        </Empty>
      ) : !session.value ? (
        <Loading />
      ) : row ? (
        <row.Page key={session.value.world} />
      ) : (
        <Empty icon="search" title="Page not found" page>
          <p>Choose a page in the menu.</p>
        </Empty>
      )}
    </main>
  )
}
