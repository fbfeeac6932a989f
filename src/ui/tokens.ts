/** Colours that all pages share, by what they are for: on a light ground, and on a dark one. */
export const palette = {
  /** The ground of a page that is read. */
  back: ['#ffffff', '#0f1412'],
  /** The ground of what stands beside or below: code, navigation, the surroundings of a card. */
  tint: ['#f4f7f5', '#141a17'],
  /** What stands out of its ground. */
  card: ['#ffffff', '#161d1a'],
  /** What a pointer is on. */
  hover: ['#eef3f0', '#1c2521'],
  /** What is chosen. */
  chosen: ['#e5f2ec', '#17302a'],
  line: ['#dfe5e2', '#27302c'],
  /** The edge of what can be typed in or pressed. */
  edge: ['#c8d1cc', '#3a4641'],
  text: ['#16201c', '#e6ece9'],
  soft: ['#55625c', '#9daba4'],
  link: ['#0a6e4f', '#4fd1a1'],
  /** The ground of the one button that matters, with white on it. */
  accent: ['#0a6e4f', '#17805d'],
  good: ['#0a6e4f', '#4fd1a1'],
  'good-back': ['#e0f3ea', '#12352a'],
  bad: ['#b3261e', '#ff8a80'],
  'bad-back': ['#fdeceb', '#3a1614'],
  wait: ['#8a4b00', '#f4c57a'],
  'wait-back': ['#fdf0d9', '#44300d'],
  info: ['#1d4f91', '#a9cdfb'],
  'info-back': ['#e4eefb', '#17304f'],
} as const satisfies { readonly [name: string]: readonly [light: string, dark: string] }

/** The palette as custom properties of CSS, which follow the scheme of the system. */
export const tokens = `:root {
  color-scheme: light dark;
${Object.entries(palette)
  .map(([name, [light, dark]]) => `  --${name}: light-dark(${light}, ${dark});`)
  .join('\n')}
  --sans: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
`
