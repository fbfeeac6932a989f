import { shortcuts } from '../core/keys.ts'
import { Key } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Lists all keyboard shortcuts of the current page. */
export function KeysDialog({ close }: { close: () => void }) {
  const all = shortcuts().filter(({ listed }) => listed !== '')
  const groups = [...new Set(all.map(({ group }) => group))]
  return (
    <Dialog title="Keys" close={close} wide>
      <div class="key-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {all
                .filter((each) => each.group === group)
                .map(({ keys, listed = keys, what }) => (
                  <div key={keys}>
                    <dt>
                      {listed.split(' ').map((each) => (
                        <Key key={each}>{each}</Key>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="soft small">They rest while you type.</p>
    </Dialog>
  )
}
