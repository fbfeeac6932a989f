import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './bits.tsx'
import { Empty, Loading } from './list-states.tsx'

/** A part whose code is loaded when it is first shown. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Later(props: Props) {
    const [state, setState] = useState<'loading' | 'there' | 'failed'>(loaded ? 'there' : 'loading')
    useEffect(() => {
      if (loaded) return
      load().then(
        (part) => {
          loaded = part
          setState('there')
        },
        () => setState('failed'),
      )
    }, [])
    if (state === 'failed')
      return (
        <Empty icon="warn" title="This part could not be loaded">
          <p>The sandbox does not answer, or another version of it has started since this page was opened.</p>
          <Button onClick={() => location.reload()}>Load the page anew</Button>
        </Empty>
      )
    const Loaded = loaded
    return state === 'there' && Loaded ? <Loaded {...props} /> : <Loading />
  }
}
