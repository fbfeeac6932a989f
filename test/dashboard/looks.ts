import { readFileSync } from 'node:fs'
import { type Look, narrow, phone, violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, fitsTheWidth, goTo, type PageLook, settled, shots } from './checks.ts'

/** The pages of the menu, as their table has them. */
const ids = [...readFileSync('dashboard/pages.ts', 'utf8').matchAll(/\bpage\('([^']+)'/g)].map(
  ([, id]) => id!,
)

/** Rules that colours decide; the others hold in the dark when they hold in the light. */
const OF_COLOUR = ['color-contrast', 'link-in-text-block']

/**
 * Looks at every row at every width, light and dark, to its end with every section open; a page of the menu without a row fails. What axe
 * finds on a phone it finds on the narrower one, and colours are the same at every width: it is most of what a look costs.
 */
export async function lookAtAll(origin: string, world: string, looks: readonly PageLook[]) {
  await check('every page of the menu is looked at', at(origin, world, 'live'), wide, async () => {
    const known = new Set(looks.map(({ path }) => path.split(/[/?]/)[0]))
    expectNone(
      'pages without a row of looks',
      ids.filter((id) => !known.has(id)),
    )
    expect('there are pages', ids.length > 0)
  })
  const width = (look: Look) =>
    check(`every page opens, ${look.width} px`, at(origin, world, looks[0]!.path), look, async ({ page }) => {
      const faults: string[] = []
      for (const row of looks) {
        try {
          await lookAt(row)
        } catch (error) {
          faults.push(`${row.path}: ${String(error)}`)
          await page.emulateMedia({ colorScheme: 'light' })
        }
      }
      expectNone('pages', faults)

      async function lookAt({ path, heading, ready }: PageLook) {
        await goTo(page, world, path)
        await page.getByRole('heading', { name: heading }).filter({ visible: true }).first().waitFor()
        await settled(page)
        await ready?.(page)
        const shot = (scheme: Look['colorScheme']) =>
          page.screenshot({
            path: `${shots}/${path.replaceAll(/[^\w-]+/g, '-')}-${look.width}-${scheme}.png`,
          })
        await shot('light')
        if (look === wide) {
          await page.emulateMedia({ colorScheme: 'dark' })
          await shot('dark')
        }
        await fitsTheWidth(page)
        if (look === wide) {
          expectNone('axe, dark', await violations(page, [], OF_COLOUR))
          await page.emulateMedia({ colorScheme: 'light' })
        }
        if (look !== phone) expectNone('axe', await violations(page))
      }
    })
  await Promise.all([wide, phone, narrow].map(width))
}
