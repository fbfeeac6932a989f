/**
 * What callbacks carry so that a sandbox knows them when they come to it, in the header that RFC 8586 has for that. It is
 * the same for all sandboxes: of two that call each other neither would ever see its own.
 */
export const LOOP_HEADER = 'cdn-loop'
export const LOOP_MARK = 'payments-sandbox'
