/** The design of pages, checkout, e-mails, dashboard and viewer. Colours are named by their purpose, for light and dark mode. */
export const palette = {
  /** Background of a text page. */
  back: ['#ffffff', '#0f1412'],
  /** Background of a page that is one card. */
  ground: ['#f4f7f5', '#0f1412'],
  /** Background of code and navigation. */
  tint: ['#f4f7f5', '#141a17'],
  card: ['#ffffff', '#161d1a'],
  hover: ['#eef3f0', '#1c2521'],
  /** Selected items. */
  chosen: ['#e5f2ec', '#17302a'],
  line: ['#dfe5e2', '#27302c'],
  /** Border of buttons. */
  edge: ['#c8d1cc', '#3a4641'],
  /** Border of input fields: nothing else marks them. */
  field: ['#7d8a84', '#6d7a74'],
  text: ['#16201c', '#e6ece9'],
  soft: ['#55625c', '#9daba4'],
  link: ['#0a6e4f', '#4fd1a1'],
  /** Background of the primary button. */
  accent: ['#0a6e4f', '#17805d'],
  'accent-hover': ['#085a41', '#136c4e'],
  'on-accent': ['#ffffff', '#ffffff'],
  /** Indicator of a live connection. */
  alive: ['#17a673', '#17a673'],
  good: ['#0a6e4f', '#4fd1a1'],
  'good-back': ['#e0f3ea', '#12352a'],
  bad: ['#b3261e', '#ff8a80'],
  'bad-back': ['#fdeceb', '#3a1614'],
  wait: ['#8a4b00', '#f4c57a'],
  'wait-back': ['#fdf0d9', '#44300d'],
  info: ['#1d4f91', '#a9cdfb'],
  'info-back': ['#e4eefb', '#17304f'],
  /** The card's bank, which differs from all Teams. */
  bank: ['#1d4f91', '#2f6ab5'],
  /** A phone's case, and its screen when it is off. */
  shell: ['#16201c', '#2b3631'],
  'screen-off': ['#0b0f0d', '#0b0f0d'],
  'on-screen-off': ['#aab6b0', '#aab6b0'],
  /** The colours of mobile operators. */
  'operator-green': ['#1d7a33', '#57c46f'],
  'operator-red': ['#b8121b', '#ff8f87'],
  'operator-yellow': ['#7a5a00', '#f2c230'],
  'operator-blue': ['#12478f', '#8fbcf5'],
  /** For QR codes, in either mode. */
  paper: ['#ffffff', '#ffffff'],
  ink: ['#000000', '#000000'],
  /** Code and method names in the viewer. */
  gold: ['#7a5900', '#f4d27a'],
  violet: ['#5e3db3', '#c3a8ff'],
  /** Shadows and the backdrop of dialogs. */
  shade: ['#05140e', '#000000'],
} as const satisfies { readonly [name: string]: readonly [light: string, dark: string] }

/** Text on a bright background of unknown colour. */
export const onBright = '#000'
export const onDark = '#fff'

export const fonts = {
  sans: `system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif`,
  mono: `ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace`,
} as const

/** Corner radii of inline code, buttons and fields, cards, dialogs, and pills. */
export const radii = {
  'round-s': '0.3rem',
  round: '0.5rem',
  'round-l': '0.75rem',
  'round-xl': '1rem',
  pill: '2rem',
} as const

/** Font sizes relative to the surrounding text. */
export const type = {
  tiny: '0.8125em',
  small: '0.875em',
  big: '1.125em',
  bigger: '1.375em',
} as const
