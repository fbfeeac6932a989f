/** The looks of pages that are read: palette, type, code. A page adds what it alone has. */
export const sheetStyle = `
:root {
  color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif;
  --back: #fff; --text: #16201c; --soft: #55625c; --line: #dfe5e2; --tint: #f4f7f5; --link: #0a6e4f;
  --observed: #1d4f91; --observed-back: #e4eefb; --assumed: #8a4b00; --assumed-back: #fdf0d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1412; --text: #e6ece9; --soft: #9daba4; --line: #27302c; --tint: #161d1a; --link: #4fd1a1;
    --observed: #a9cdfb; --observed-back: #17304f; --assumed: #f4c57a; --assumed-back: #44300d;
  }
}
body { display: grid; place-items: center; min-height: 90vh; margin: 0; background: var(--back); color: var(--text); }
main { width: min(24rem, 90vw); }
h1 { font-size: 2.25rem; margin: 0; letter-spacing: -0.02em; }
a { color: var(--link); text-underline-offset: 0.2em; }
code, pre { font: 0.875em/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0.75rem 0; padding: 1rem 1.2rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--tint); }
pre code { font-size: 0.8125rem; }
button, a.button { display: inline-block; font: inherit; padding: 0.6rem 1.4rem; border-radius: 0.5rem; border: 1px solid #0a6e4f; background: #0a6e4f; color: #fff; cursor: pointer; text-decoration: none; }
button:hover, a.button:hover { background: #085a41; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:is(button, a.button).quiet { background: transparent; color: inherit; border-color: currentColor; }
p.quiet { color: var(--soft); font-size: 0.875rem; }
`
