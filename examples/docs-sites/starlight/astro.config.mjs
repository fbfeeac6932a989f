import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'

const sandbox = process.env.SANDBOX ?? 'http://127.0.0.1:8080'

export default defineConfig({
  integrations: [
    starlight({
      title: 'Shop handbook',
      head: [
        // The element, and its room until its script is there.
        { tag: 'script', attrs: { src: `${sandbox}/docs/embed.js`, async: true } },
        { tag: 'link', attrs: { rel: 'stylesheet', href: `${sandbox}/docs/embed.css` } },
      ],
      pagefind: false,
    }),
  ],
})
