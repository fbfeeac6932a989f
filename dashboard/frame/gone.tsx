import { wordsOf } from '../core/api.ts'
import { say } from '../core/notice.ts'
import { gone, goToRoot, makeAgain, rootOf } from '../core/session.ts'
import { Button, Said } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'

/** Shown after the world was deleted. */
export function Gone() {
  const { world, name } = gone.value!
  return (
    <Empty icon="worlds" title="This world was deleted" page>
      <p>
        <Said>{name ?? world}</Said> was deleted or expired. You can create it again in its initial state; its
        data only returns by importing an export.
      </p>
      <div class="row">
        <Button
          needs="read"
          kind="main"
          onClick={() => void makeAgain().catch((error: unknown) => say(wordsOf(error), true))}
        >
          Create it again
        </Button>
        <Button needs="read" onClick={() => goToRoot(world)}>
          To {rootOf(world)}
        </Button>
      </div>
    </Empty>
  )
}
