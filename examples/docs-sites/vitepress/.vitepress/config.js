const sandbox = process.env.SANDBOX ?? 'http://127.0.0.1:8080'

export default {
  title: 'Shop handbook',
  head: [
    // The element, and its room until its script is there.
    ['script', { src: `${sandbox}/docs/embed.js`, async: '' }],
    ['link', { rel: 'stylesheet', href: `${sandbox}/docs/embed.css` }],
  ],
  // It is no component of Vue's.
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'payments-sandbox' } } },
}
