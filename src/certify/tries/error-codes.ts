import type { ShopRequest } from '../scene.ts'

/** The error codes that a client met, each once. */
export const errorCodesOf = (requests: readonly ShopRequest[]): readonly string[] => [
  ...new Set(
    requests.flatMap(({ answer }) => {
      const { error_code } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
        error_code?: unknown
      }
      return typeof error_code === 'string' ? [error_code] : []
    }),
  ),
]
