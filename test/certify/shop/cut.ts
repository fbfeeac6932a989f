import type { Shop } from './shop.ts'

/** Whether the connection goes while the shop works, milliseconds long. */
export const isCut = async (shop: Shop, { signal }: Request): Promise<boolean> =>
  signal.aborted ||
  Promise.race([
    shop.clock.sleep(WORK, shop.stopped).then(() => false),
    new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true))),
  ])
const WORK = 500
