import type { Context } from 'hono'
import { descriptionText } from '../files.ts'
import { elsewhereOf } from '../http/origin.ts'
import { addressedAsset, asset, untilMade } from './asset.ts'

/** Serves a description, byte for byte as it was generated where the root of the host that serves it is the sandbox. */
export function described(...[api, form]: Parameters<typeof descriptionText>) {
  const type = `application/${form}; charset=utf-8`
  const read = untilMade(() => descriptionText(api, form))
  const here = asset({ type, make: read })
  const elsewhere = addressedAsset({ type, make: async ({ origin }) => withServer(await read(), origin) })
  return (c: Context): Promise<Response> => (elsewhereOf(c) === undefined ? here(c) : elsewhere(c))
}

/** The first of its kind in a description is that of its servers. */
const ROOT = /("url": |- url: )("?)\/\2(?=,?\n)/

/** @param text JSON over lines, or YAML @param base where clients reach the sandbox */
const withServer = (text: string, base: string): string =>
  text.replace(ROOT, (_, key: string) => key + JSON.stringify(base))
