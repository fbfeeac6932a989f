import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'

const relativeImport = /((?:from|import\()\s*['"])(\.[^'"]+)\.ts(['"])/g

/** Fixtures may use the types of their test runner, which its users have. */
const runnerOf = (module: string) => (module === 'client/fixtures/vitest' ? 'vitest' : '')

/**
 * Writes the type declarations of the entries, and of everything they import, to `folder`. The declarations describe the
 * CommonJS modules; those of the ES modules re-export them.
 * @param entries - Modules of src without `.ts`, such as `client/matchers`
 */
export async function writeTypes(entries: readonly string[], folder: string): Promise<void> {
  const all = join(folder, 'all')
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', all], { stdio: 'inherit' })
  const left = [...entries]
  const done = new Set<string>()
  for (let module = left.pop(); module !== undefined; module = left.pop()) {
    if (done.has(module)) continue
    done.add(module)
    const text = await readFile(join(all, `${module}.d.ts`), 'utf8')
    // Examples in comments import from the package name.
    if (/^(?! \*).*from ['"][^.]/m.test(text.replaceAll(`from '${runnerOf(module)}'`, '')))
      throw new Error(`the declarations of ${module} need another package`)
    for (const [, , specifier] of text.matchAll(relativeImport))
      left.push(posix.join(posix.dirname(module), specifier!))
    await mkdir(dirname(join(folder, module)), { recursive: true })
    // Consumers import the modules by their published file names.
    await writeFile(join(folder, `${module}.d.cts`), text.replace(relativeImport, '$1$2.cjs$3'))
  }
  for (const module of entries)
    await writeFile(join(folder, `${module}.d.ts`), `export * from './${posix.basename(module)}.cjs'\n`)
  await rm(all, { recursive: true })
}
