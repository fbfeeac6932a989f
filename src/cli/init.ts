import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { Refusal } from './failures.ts'
import { filesFor, type Kind, kinds, type Project } from './init-files.ts'
import { type End, oneOf, plainCommand } from './options.ts'
import { painter } from './output.ts'
import type { Process } from './process.ts'

export const initCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('init')
      .description(
        'Write four tests (paid, cancelled, delivered twice, stored late), a receiver that verifies signatures, a CI workflow and a Compose ' +
          'service for the project in a folder. Existing files stay as they are.',
      )
      .argument('[folder]', 'the folder of the project', '.')
      .addOption(oneOf('--runner <runner>', 'the test runner (default: the one of the project)', kinds))
      .option('--dry-run', 'print what would be written, and write nothing'),
    async ({ out }, given, { runner, dryRun = false }) => {
      const folder = resolve(given)
      const paint = painter(out.colours)
      const project = await projectIn(folder, runner)
      const { name, kind, framework } = project
      const { files, next } = await filesFor(project)
      const fact = { kind: 'project', runner: kind, framework }
      out.say(`${name}: ${kind}${framework ? ` with ${framework}` : ''}`, fact)
      for (const { path, text } of files) {
        const at = join(folder, path)
        const exists = existsSync(at)
        const state = exists ? 'exists' : dryRun ? 'would write' : 'wrote'
        if (!exists && !dryRun) {
          await mkdir(dirname(at), { recursive: true })
          await writeFile(at, text, { flag: 'wx' })
        }
        const isSame = exists && (await readFile(at, 'utf8')) === text
        const note = !exists ? '' : isSame ? ' (unchanged)' : ' (kept; --dry-run shows what init would write)'
        const style = exists ? 'yellow' : 'green'
        out.say(`  ${paint(style, state.padEnd(11))} ${path}${note}`, { kind: 'file', path, state, text })
        if (dryRun && !isSame) out.say(text.replace(/^/gm, '      | ').replace(/ +\| $/, ''))
      }
      if (!dryRun)
        out.say(`\nNext:\n${next.map((each) => `  ${each}`).join('\n')}`, { kind: 'next', commands: next })
    },
  )

interface PackageJson {
  readonly name?: string
  readonly type?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Detects the runner and framework of a project by its manifest. @throws {Refusal} If there is none. */
async function projectIn(folder: string, runner: Kind | undefined): Promise<Project> {
  const read = async (file: string) => {
    const at = join(folder, file)
    return existsSync(at) ? readFile(at, 'utf8') : undefined
  }
  const name = folder.split(/[/\\]/).at(-1) || 'project'
  const manifest = await read('package.json')
  if (manifest !== undefined) return nodeProject(folder, manifest, name, runner)
  const python = (await read('pyproject.toml')) ?? (await read('requirements.txt'))
  if (python !== undefined) {
    const framework = ['fastapi', 'django', 'flask'].find((each) =>
      new RegExp(`\\b${each}\\b`, 'i').test(python),
    )
    const settings = /DJANGO_SETTINGS_MODULE["'], *["']([\w.]+)/.exec((await read('manage.py')) ?? '')?.[1]
    return { kind: runner ?? 'pytest', framework, name, module: settings ?? 'settings' }
  }
  if ((await read('go.mod')) !== undefined) return { kind: runner ?? 'go', framework: 'net/http', name }
  if ((await read('composer.json')) !== undefined) return { kind: runner ?? 'php', name }
  const maven = await read('pom.xml')
  if (maven !== undefined) {
    const framework = maven.includes('spring-boot') ? 'spring' : undefined
    return {
      kind: runner ?? 'junit',
      framework,
      name,
      module: await javaPackage(join(folder, 'src/main/java')),
    }
  }
  if (!existsSync(folder)) throw new Refusal(`${folder} does not exist; name the folder of your project`)
  if (['build.gradle', 'build.gradle.kts'].some((each) => existsSync(join(folder, each))))
    throw new Refusal(
      `${folder} is built with Gradle, and init writes for Maven; run it in an empty folder with a pom.xml, and copy the files of src`,
    )
  throw new Refusal(
    `${folder} contains none of package.json, pyproject.toml, requirements.txt, pom.xml, go.mod and composer.json; run init in the folder of your project`,
  )
}

/** Returns the package of the Spring application, because Spring finds only classes below it; otherwise the shortest package. */
async function javaPackage(folder: string): Promise<string | undefined> {
  const names = existsSync(folder) ? await readdir(folder, { recursive: true }) : []
  const found: string[] = []
  for (const each of names.filter((each) => each.endsWith('.java'))) {
    const text = await readFile(join(folder, each), 'utf8')
    const name = /^package ([\w.]+);/m.exec(text)?.[1]
    if (name && text.includes('@SpringBootApplication')) return name
    if (name) found.push(name)
  }
  return found.toSorted((a, b) => a.length - b.length)[0]
}

function nodeProject(folder: string, manifest: string, name: string, runner: Kind | undefined): Project {
  let read: PackageJson
  try {
    read = JSON.parse(manifest) as PackageJson
  } catch (error) {
    throw new Refusal(`${join(folder, 'package.json')} is not JSON: ${(error as Error).message}`)
  }
  const has = (dependency: string) =>
    read.dependencies?.[dependency] !== undefined || read.devDependencies?.[dependency] !== undefined
  return {
    kind: runner ?? (has('vitest') ? 'vitest' : has('jest') ? 'jest' : 'node-test'),
    framework: ['next', 'express', 'fastify', 'hono', 'koa'].find(has),
    name: read.name ?? name,
    isModule: read.type === 'module',
    isTyped: existsSync(join(folder, 'tsconfig.json')),
    sources:
      has('next') && ['src/app', 'src/pages'].some((each) => existsSync(join(folder, each))) ? 'src/' : '',
  }
}
