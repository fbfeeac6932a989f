import type { Plugin } from 'esbuild'

/** Leaves out zod's messages in forty other languages, a third of the bundle; the sandbox writes its own. */
export const zodInEnglish: Plugin = {
  name: 'zod-in-english',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}
