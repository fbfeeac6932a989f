import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './bits.tsx'
import { Empty, Loading } from './list-states.tsx'

/**
 * A component whose script is loaded when it is first shown, such as `atNeed(async () => (await
 * import('./doctor.tsx')).Doctor)`.
 */
export function atNeed<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | 'failed' | undefined>(undefined)
  const begin = async () => {
    try {
      loaded.value = await load()
    } catch {
      loaded.value = 'failed'
    }
  }
  return function AtNeed(props) {
    useEffect(() => {
      if (loaded.peek() === undefined) void begin()
    }, [])
    const Part = loaded.value
    if (Part === undefined) return <Loading />
    if (Part !== 'failed') return <Part {...props} />
    return (
      <Empty icon="warn" title="This page could not be loaded">
        <p>The sandbox does not respond, or has been updated.</p>
        <Button needs="read" onClick={() => location.reload()}>
          Reload
        </Button>
      </Empty>
    )
  }
}
