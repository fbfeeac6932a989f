import { readdir, readFile } from 'node:fs/promises'

/**
 * The licences of the packages that bundled modules come from, one after another, by name.
 * @param inputs paths of the modules
 */
export async function licencesOf(inputs: readonly string[]): Promise<string> {
  return (await Promise.all(foldersOf(inputs).map(licenceOf))).join(`\n${'-'.repeat(80)}\n\n`)
}

/** The packages that bundled modules come from. @param inputs paths of the modules */
export const packagesOf = (inputs: readonly string[]) => Promise.all(foldersOf(inputs).map(aboutOf))

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

const foldersOf = (inputs: readonly string[]) =>
  [...new Set(inputs.flatMap((path) => packageFolder.exec(path)?.[0] ?? []))].sort()

const aboutOf = async (folder: string) => JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))

/** The text that the package ships; where it ships none, who made it and where its source is. */
async function licenceOf(folder: string): Promise<string> {
  const about = await aboutOf(folder)
  if (!about.license) throw new Error(`${about.name} in ${folder} says nothing of its licence`)
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  const text = file
    ? (await readFile(`${folder}/${file}`, 'utf8')).trim()
    : [about.author?.name ?? about.author, about.repository?.url ?? about.homepage].filter(Boolean).join('\n')
  return `${about.name} ${about.version} (${about.license})\n\n${text}\n`
}
