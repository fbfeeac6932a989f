import type { SignatureHeaders } from './request.ts'

/** The service itself documents no signature; this is that. */
export function none(): SignatureHeaders {
  return {}
}
