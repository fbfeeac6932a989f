import { useRef, useState } from 'preact/hooks'
import type { WorldExport } from '../../src/generated/control/types.ts'
import { act, busy, say } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { Button } from '../parts/bits.tsx'
import { Confirm } from '../parts/dialog.tsx'

/** Downloads the world as a file. */
export const saveExport = () =>
  act(async ({ client, world }) => {
    const text = JSON.stringify(await client.export())
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = `${world}.json`
    link.click()
    URL.revokeObjectURL(link.href)
    return 'World exported.'
  }, 'own')

interface Chosen {
  readonly name: string
  readonly world: WorldExport
}

/** Replaces this world with an exported one. */
export function ImportWorld() {
  const field = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen>()
  const choose = async (file: File | undefined) => {
    field.current!.value = ''
    if (!file) return
    try {
      setChosen({ name: file.name, world: JSON.parse(await file.text()) as WorldExport })
    } catch {
      say(`${file.name} is not JSON, so it is not an exported world.`, true)
    }
  }
  return (
    <>
      <input
        ref={field}
        class="unseen"
        type="file"
        accept="application/json,.json"
        aria-label="File of an exported world"
        tabIndex={-1}
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      <Button needs="own" disabled={busy.value} onClick={() => field.current!.click()}>
        Import…
      </Button>
      {chosen && (
        <Confirm
          title="Replace the open world with this file?"
          words={`${chosen.name} has ${counted(rowsIn(chosen.world), 'row')}${of(chosen.world)}. All data of the open world will be lost.`}
          action="Import"
          needs="own"
          run={() =>
            void act(async ({ client }) => {
              await client.import(chosen.world)
              return 'World imported.'
            }, 'own')
          }
          close={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

const rowsIn = (world: Partial<WorldExport> | null): number =>
  Object.values(world?.rows ?? {}).reduce((sum, rows) => sum + (Array.isArray(rows) ? rows.length : 0), 0)

const of = (world: Partial<WorldExport> | null): string =>
  typeof world?.exported_at === 'string' ? `, of ${world.exported_at.slice(0, 16).replace('T', ' ')} UTC` : ''
