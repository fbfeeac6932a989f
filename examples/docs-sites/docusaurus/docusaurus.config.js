const sandbox = process.env.SANDBOX ?? 'http://127.0.0.1:8080'

export default {
  title: 'Shop handbook',
  url: 'https://docs.example',
  baseUrl: '/',
  // The element, and its room until its script is there.
  scripts: [{ src: `${sandbox}/docs/embed.js`, async: true }],
  stylesheets: [`${sandbox}/docs/embed.css`],
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/' }]],
  themes: ['@docusaurus/theme-classic'],
}
