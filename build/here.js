/** As `import.meta.url`, in the CommonJS modules of the package; left out where nobody asks. */
export const urlOfThisModule = /* @__PURE__ */ (() => require('node:url').pathToFileURL(__filename).href)()
