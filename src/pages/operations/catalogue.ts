import { descriptionJson, type Described } from '../../files.ts'
import { operationsOf, type Operation, type Part } from '../viewer/description.ts'

/** The operations of one description. */
export interface Chapter {
  readonly api: Described
  readonly title: string
  readonly description: Part
  readonly operations: readonly Operation[]
}

const titles: Readonly<Record<Described, string>> = {
  service: 'Operations of the service',
  control: "Operations of the sandbox's own API",
  extensions: 'Operations of the older generation',
}

/** The descriptions that are served. @param extensions whether that of the API's older generation is */
export const readChapters = (extensions: boolean): Promise<readonly Chapter[]> =>
  Promise.all(
    (extensions ? (['service', 'control', 'extensions'] as const) : (['service', 'control'] as const)).map(
      async (api) => {
        const description: Part = JSON.parse(await descriptionJson(api))
        return { api, title: titles[api], description, operations: operationsOf(description.paths) }
      },
    ),
  )
