import { frameAncestors, type EmbedOrigins } from '../viewer/policy.ts'

/**
 * The policy of the dashboard: its own files and nothing else, no markup made of text. A click in it changes a world, so no page may
 * frame it but those of origins that a setting lists.
 */
export const dashboardPolicy = (origins: EmbedOrigins): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    frameAncestors(origins === '*' ? [] : origins),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
