import { readdir, readFile } from 'node:fs/promises'

/**
 * Returns the licences of the bundled packages, sorted by name.
 * @param inputs - Paths of the modules
 */
export async function licencesOf(inputs: readonly string[]): Promise<string> {
  return (await Promise.all(foldersOf(inputs).map(licenceOf))).join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the package.json of each bundled package. */
export const packagesOf = (inputs: readonly string[]) => Promise.all(foldersOf(inputs).map(aboutOf))

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

const foldersOf = (inputs: readonly string[]) =>
  [...new Set(inputs.flatMap((path) => packageFolder.exec(path)?.[0] ?? []))].sort()

const aboutOf = async (folder: string) => JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))

/** Returns the licence file of a package or, if it ships none, its author and repository. */
async function licenceOf(folder: string): Promise<string> {
  const about = await aboutOf(folder)
  if (!about.license) throw new Error(`${about.name} in ${folder} has no licence in its package.json`)
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  const text = file
    ? (await readFile(`${folder}/${file}`, 'utf8')).trim()
    : [about.author?.name ?? about.author, about.repository?.url ?? about.homepage].filter(Boolean).join('\n')
  return `${about.name} ${about.version} (${about.license})\n\n${text}\n`
}
