/**
 * What all that the sandbox shows looks like: pages, checkout, mails, dashboard and viewer. Colours go by what they are for, each on a
 * light ground and on a dark one; no style has a colour of its own.
 */
export const palette = {
  /** The ground of a page that is read. */
  back: ['#ffffff', '#0f1412'],
  /** The ground of a page that is one card. */
  ground: ['#f4f7f5', '#0f1412'],
  /** The ground of what stands beside or below: code, navigation. */
  tint: ['#f4f7f5', '#141a17'],
  /** What stands out of its ground. */
  card: ['#ffffff', '#161d1a'],
  /** What a pointer is on. */
  hover: ['#eef3f0', '#1c2521'],
  /** What is chosen. */
  chosen: ['#e5f2ec', '#17302a'],
  line: ['#dfe5e2', '#27302c'],
  /** The edge of what can be pressed. */
  edge: ['#c8d1cc', '#3a4641'],
  /** The edge of what can be typed in: nothing else says where it is. */
  field: ['#7d8a84', '#6d7a74'],
  text: ['#16201c', '#e6ece9'],
  soft: ['#55625c', '#9daba4'],
  link: ['#0a6e4f', '#4fd1a1'],
  /** The ground of the one button that matters. */
  accent: ['#0a6e4f', '#17805d'],
  'accent-hover': ['#085a41', '#136c4e'],
  'on-accent': ['#ffffff', '#ffffff'],
  /** The sign of what is alive. */
  alive: ['#17a673', '#17a673'],
  good: ['#0a6e4f', '#4fd1a1'],
  'good-back': ['#e0f3ea', '#12352a'],
  bad: ['#b3261e', '#ff8a80'],
  'bad-back': ['#fdeceb', '#3a1614'],
  wait: ['#8a4b00', '#f4c57a'],
  'wait-back': ['#fdf0d9', '#44300d'],
  info: ['#1d4f91', '#a9cdfb'],
  'info-back': ['#e4eefb', '#17304f'],
  /** The bank of a card, which looks like none of the Teams. */
  bank: ['#1d4f91', '#2f6ab5'],
  /** A phone around its screen, and that screen when it is dark. */
  shell: ['#16201c', '#2b3631'],
  'screen-off': ['#0b0f0d', '#0b0f0d'],
  'on-screen-off': ['#aab6b0', '#aab6b0'],
  /** Operators of phones, by which their customers know them. */
  'operator-green': ['#1d7a33', '#57c46f'],
  'operator-red': ['#b8121b', '#ff8f87'],
  'operator-yellow': ['#7a5a00', '#f2c230'],
  'operator-blue': ['#12478f', '#8fbcf5'],
  /** What a camera reads is dark on light, whatever the rest is. */
  paper: ['#ffffff', '#ffffff'],
  ink: ['#000000', '#000000'],
  /** Of code and the names of methods alone, in the viewer. */
  gold: ['#7a5900', '#f4d27a'],
  violet: ['#5e3db3', '#c3a8ff'],
  /** What shadows are of, and what lies over a page behind a dialog. */
  shade: ['#05140e', '#000000'],
} as const satisfies { readonly [name: string]: readonly [light: string, dark: string] }

/** Text on a ground that somebody else chose. */
export const onBright = '#000'
/** As `onBright`, where the ground is dark. */
export const onDark = '#fff'

export const fonts = {
  sans: `system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif`,
  mono: `ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace`,
} as const

/** How round corners are: of a word in code, of what is pressed or typed in, of a card, of a dialog, of a pill. */
export const radii = {
  'round-s': '0.3rem',
  round: '0.5rem',
  'round-l': '0.75rem',
  'round-xl': '1rem',
  pill: '2rem',
} as const

/** Steps of type, from what stands beside to a page's one title, in the type of where they stand. */
export const type = {
  tiny: '0.8125em',
  small: '0.875em',
  big: '1.125em',
  bigger: '1.375em',
} as const
