/** The first and the last time a world can have, milliseconds: years on the wire have four digits. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** No clock goes faster, as many times as the wall: at this pace all the time there is passes within three days. */
export const FASTEST_CLOCK = 1_000_000

/** A time, or the nearest one that a world can have: what is due after the last one is due at the last one. */
export const boundedTime = (time: number): number =>
  time > LAST_TIME ? LAST_TIME : time >= FIRST_TIME ? time : FIRST_TIME
