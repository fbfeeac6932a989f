import { tokens } from '../tokens.ts'

/** What the viewer calls its colours, by what ours are for. */
const own = Object.entries({
  'color-1': 'text',
  'color-2': 'soft',
  'color-3': 'soft',
  'background-1': 'back',
  'background-2': 'tint',
  'background-3': 'hover',
  'border-color': 'line',
  'color-accent': 'link',
  'background-accent': 'chosen',
  'link-color': 'link',
  'button-1': 'accent',
  'button-1-color': 'on-accent',
  'button-1-hover': 'accent-hover',
  'color-green': 'good',
  'color-red': 'bad',
  'color-blue': 'info',
  'color-orange': 'wait',
  'color-yellow': 'gold',
  'color-purple': 'violet',
})
  .map(([theirs, ours]) => `  --scalar-${theirs}: var(--${ours});`)
  .join('\n')

/** The viewer in the sandbox's colours, and our marks in its texts. The viewer's own rules are in layers, below these. */
export const viewerStyle = `${tokens}:root {
  --scalar-font: var(--sans);
  --scalar-font-code: var(--mono);
  --scalar-radius: 6px;
  --scalar-radius-lg: 8px;
  --scalar-radius-xl: 10px;
}
body { margin: 0; background: var(--back); }
.light-mode { color-scheme: light; }
.dark-mode { color-scheme: dark; }
:is(.light-mode, .dark-mode) {
${own}
}
.sidebar {
  --scalar-sidebar-background-1: var(--scalar-background-2);
  --scalar-sidebar-color-1: var(--scalar-color-1);
  --scalar-sidebar-color-2: var(--scalar-color-2);
  --scalar-sidebar-color-active: var(--scalar-color-accent);
  --scalar-sidebar-item-active-background: var(--scalar-background-accent);
  --scalar-sidebar-item-hover-background: var(--scalar-background-3);
  --scalar-sidebar-border-color: var(--scalar-border-color);
}

.references-layout .section-header-label { letter-spacing: -0.02em; text-wrap: balance; }
/* Else it covers the end of the word before it. */
.references-layout section > div:has(> button h2) [id^='headlessui-popover-button'] { font-size: 12px; white-space: nowrap; }
/* There is no room for both, and the word stands beside the user name again. */
@media (max-width: 30rem) { .references-layout [data-testid='auth-indicator'] { display: none; } }
/* The viewer moves focus to a whole section when it is linked to. */
.references-layout .section:focus-visible { outline: none; }
.references-layout .markdown table :is(td, th, code) { overflow-wrap: normal; word-break: normal; }
/* Its words stay whole, so a table that is wider than the column scrolls by itself. */
.scalar-app .markdown.markdown table { display: block; width: fit-content; max-width: 100%; overflow-x: auto; }

/* Important, because some places of the viewer strip markup of its looks. */
.references-layout .markdown .provenance {
  display: inline-block !important;
  margin-right: 0.2em;
  padding: 0 0.55em !important;
  border-radius: 1em;
  font-size: 11px !important;
  line-height: 17px !important;
  font-weight: 600 !important;
  vertical-align: 0.08em;
  white-space: nowrap;
}
.references-layout .markdown .provenance-observed { color: var(--info) !important; background: var(--info-back) !important; }
.references-layout .markdown .provenance-assumed { color: var(--wait) !important; background: var(--wait-back) !important; }
.references-layout .markdown .provenance-documented {
  color: var(--scalar-color-3) !important;
  box-shadow: inset 0 0 0 1px var(--scalar-border-color);
}
.references-layout .markdown .provenance-note { font-size: 12px; font-style: italic; color: var(--scalar-color-3); }
.references-layout .markdown p:has(> .provenance-note:only-child) { margin-top: 2px !important; line-height: 1.4; }
.references-layout .markdown .sandbox-values {
  margin-top: 6px;
  border: 1px solid var(--scalar-border-color);
  border-radius: var(--scalar-radius);
  background: var(--scalar-background-2);
}
.references-layout .markdown .sandbox-values summary {
  padding: 5px 10px;
  font-size: 12px;
  font-weight: 600;
  color: var(--scalar-color-accent);
  cursor: pointer;
}
.references-layout .markdown .sandbox-values > :not(summary) { padding: 0 !important; margin: 0 !important; }
.references-layout .markdown .sandbox-values table {
  width: 100%;
  max-width: none;
  margin: 0 !important;
  border-width: 1px 0 0 !important;
  border-radius: 0 !important;
  font-size: 12px;
}
.references-layout .markdown .sandbox-values :is(th, td) { padding: 4px 10px !important; line-height: 1.45; }
.references-layout .markdown .sandbox-values :is(th, td):first-child { width: 132px; white-space: nowrap; }
.references-layout .markdown .sandbox-values td + td code { color: var(--scalar-color-3); }

/* The dialog of a request: else what does not wrap in it makes it wider than a phone, and its button cannot be reached. */
.scalar-app-layout main > div,
.scalar-app-layout main section,
.scalar-app-layout main :is(form, .scalar-data-table) { min-width: 0; }
@media (max-width: 48rem) {
  .scalar-app-layout .scalar-sidebar-toggle { display: none; }
  .scalar-app .markdown.markdown table :is(th, td) { padding: 6px 10px; }
}

.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
/* Where there is no room for their words, links are icons; whoever cannot see them has the words. */
.icons-only a > span:not(:empty) { display: block !important; position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
/* The bar of a phone's menu: there is none for a single operation, and it covers what comes first. */
.single .t-doc__header { display: none; }
.single .section-container:has(> .introduction-section),
.single .tag-section-container > .section:first-child { display: none; }
/* Wide enough for the signs that open and close, which stand outside of the text. */
.single .section-container.tag-section-container { padding: 0 28px !important; border: 0 !important; }
.single .tag-section-container .section { padding: 24px 0; border: 0; }
.single .references-rendered, .single .references-layout, .single .narrow-references-container { min-height: 0 !important; }
.single .references-rendered { overflow-x: clip; }
/* The dialog stays in the part of a high frame that the reader sees. */
body.single .app-exit-button { top: calc(var(--visible-top, 0px) + 8px); }
body.single .scalar-container {
  bottom: auto;
  top: var(--visible-top, 0px);
  height: var(--visible-height, 100vh);
}
.single .scalar-container .scalar-app-layout {
  height: calc(var(--visible-height, 100vh) - 104px) !important;
  max-height: none !important;
}
.embedded .other-reference, .embedded .editor-requests { display: none; }
.editor-requests a {
  display: inline-block;
  padding: 4px 12px;
  border: 1px solid currentcolor;
  border-radius: 6px;
  text-decoration: none;
}
`
