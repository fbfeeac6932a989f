/** A time as it goes on the wire: ISO 8601 in UTC without fractions, e.g. `2026-06-30T00:44:53Z`. */
export const wireTime = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
