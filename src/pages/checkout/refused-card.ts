import type { Context } from 'hono'
import type { CardField } from '../../service/domain/cards.ts'
import { Faults } from '../../service/domain/errors.ts'
import { wantsPage } from '../page.ts'
import type { RefusedCard } from './card-form.ts'
import type { Checkout } from './find.ts'
import { checkoutView } from './view.ts'

/**
 * What a card that cannot be read leads to: the form again, each fault at its field, with what is no secret still in it.
 * @throws ServiceError 400 with the faults when a program asks
 */
export function refuseCard(c: Context, found: Checkout, refused: RefusedCard) {
  if (wantsPage(c)) return checkoutView(c, found, refused)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(refused.faults) as [CardField, string][])
    faults.add(field, fault)
  return faults.throwAny()
}
