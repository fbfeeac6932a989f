/** The first and last time of a world, milliseconds: years on the wire have four digits. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the closest time that a world can have. */
export const boundedTime = (time: number): number =>
  time > LAST_TIME ? LAST_TIME : time >= FIRST_TIME ? time : FIRST_TIME
