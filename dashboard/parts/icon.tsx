/** Decorative: the adjacent text says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={icons[name]} />
  </svg>
)

/** Icons of 16 by 16, drawn as lines. */
export const icons = {
  live: 'M2 8h2.5l2-5 3 10 2-5H14',
  transactions: 'M3 5h9.5L10 2.5M13 11H3.5L6 13.5',
  callbacks: 'M6.5 3.5 3 7l3.5 3.5M3 7h6.5a3.5 3.5 0 0 1 0 7H8',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  phone: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1ZM7.2 12.3h1.6',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6',
  mail: 'M2 3.5h12v9H2zM2.3 4 8 8.7 13.7 4',
  inbox: 'M2 9h3.5l1 2h3l1-2H14M2 9l2.2-5.5h7.6L14 9v4H2z',
  doctor: 'M8 14s5.5-2.2 5.5-6V3.5L8 2 2.5 3.5V8C2.5 11.8 8 14 8 14ZM8 5.5v5M5.5 8h5',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3a2.3 2.3 0 0 1 0 4.2M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  ledger: 'M3 2.5h10v11H3zM3 6h10M8 6v7.5',
  statement: 'M3.5 2h9v12l-1.5-1-1.5 1L8 13l-1.5 1L5 13l-1.5 1zM6 5.5h4M6 8.5h4',
  scenarios: 'M4.5 2.5v6M4.5 12v1.5M11.5 2.5V5M11.5 8.5v5M3 10.2h3M10 6.8h3',
  jobs: 'M5.5 4H14M5.5 8H14M5.5 12H14M2 4h.1M2 8h.1M2 12h.1',
  worlds:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14c-2-2-2.6-4-2.6-6S6 4 8 2Z',
  process:
    'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  keys: 'M9.8 8.2a3.6 3.6 0 1 0-2-2L2 12v2h2l.8-.8V12H6v-1.2h1.2zM11 4.9h.1',
  kyc: 'M3 2h7l3 3v9H3zM5.5 9.5l1.8 1.8 3.4-3.6',
  audit: 'M4 1.5h8v13H4zM6 5h4M6 7.5h4M6 10l1.2 1.2 2.3-2.4',
  targets: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 8h.1',
  certification:
    'M8 9.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM5.5 8.8 4.5 14.5 8 12.7l3.5 1.8-1-5.7M6.3 5.6l1.2 1.2 2.2-2.4',
  docs: 'M3 2.5h4.2c.5 0 .8.4.8.8V14c0-.6-.5-1-1-1H3zM13 2.5H8.8c-.5 0-.8.4-.8.8V14c0-.6.5-1 1-1h4z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  down: 'm4 6 4 4 4-4',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  close: 'm4 4 8 8M12 4l-8 8',
  erase: 'M6 3.5h7.5v9H6L2 8zM7.5 6l4 4M11.5 6l-4 4',
  checkout: 'M2 4h12v8.5H2zM2 7h12M4.5 10h3',
  till: 'M3 7h10v6.5H3zM5 7V2.5h6V7M5.5 9.5h5M5.5 11.5h2',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  plus: 'M8 3v10M3 8h10',
  share: 'M8 10V2M5 4.6 8 2l3 2.6M4.5 7H3v7h10V7h-1.5',
  check: 'm3 8.5 3.2 3.2L13 5',
  forward: 'M3 4v8l5-4zM8.5 4v8l5-4z',
  warn: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
} as const

export type IconName = keyof typeof icons
