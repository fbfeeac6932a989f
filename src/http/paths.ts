/** What the paths look like that `{name}` in the description stands for. */
export const pathPattern = (path: string) =>
  new RegExp(`^${path.replace(/[.\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)

/** `{name}` in the description is `:name` in the router. */
export const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')
