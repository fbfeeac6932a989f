import type { Context } from 'hono'
import { descriptionText } from '../files.ts'
import { elsewhereOf } from '../http/origin.ts'
import { asset, untilMade } from './asset.ts'
import { byAddress } from './by-address.ts'

/** Serves a description, byte for byte as it was generated where the root of the host that serves it is the sandbox. */
export function described(...[api, form]: Parameters<typeof descriptionText>) {
  const type = `application/${form}; charset=utf-8`
  const read = untilMade(() => descriptionText(api, form))
  const here = asset({ type, make: read })
  const elsewhere = byAddress((base) => asset({ type, make: async () => withServer(await read(), base) }))
  return async (c: Context): Promise<Response> => {
    const base = elsewhereOf(c)
    return base === undefined ? here(c) : elsewhere(base)(c)
  }
}

/** The first of its kind in a description is that of its servers. */
const ROOT = /("url": |- url: )("?)\/\2(?=,?\n)/

/** @param text JSON over lines, or YAML @param base where clients reach the sandbox */
const withServer = (text: string, base: string): string =>
  text.replace(ROOT, (_, key: string) => key + JSON.stringify(base))
