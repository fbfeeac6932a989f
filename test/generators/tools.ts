/** What every client is made with: releases that are held, folders, and tools that are run. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The one place that says which releases are held. */
const versions = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  '@types/node': '20.19.25',
  'openapi-python-client': '0.29.1',
  'oapi-codegen': '2.8.2',
  'oapi-codegen/runtime': '1.8.0',
  'openapi-generator': '7.16.0',
  jackson: '2.19.2',
  'jackson-databind-nullable': '0.2.7',
  jsr305: '3.0.2',
  'jakarta.annotation-api': '1.3.5',
  'maven-dependency-plugin': '3.8.1',
} as const

type Name = keyof typeof versions
export const versionOf = (name: Name) => versions[name]
export const release = (name: Name) => `${name}@${versions[name]}`

export const descriptions = ['service', 'control', 'extensions'] as const

/** Runs a tool in a folder. @throws Error with the end of what it printed when it fails */
export function run(folder: string, command: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (error) throw error
  if (status !== 0)
    throw new Error(`${command} ${args[0]} ended with ${status}: ${`${stdout}${stderr}`.slice(-3000)}`)
  return stdout
}

/** A registry that gives nothing says nothing of the descriptions. */
export class NotInstalled extends Error {}

/** Runs what takes something from a registry. @throws NotInstalled */
export function install(folder: string, command: string, ...args: readonly string[]): void {
  try {
    run(folder, command, ...args)
  } catch (error) {
    throw new NotInstalled((error as Error).message)
  }
}

export const there = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0

/** A folder with the descriptions and the program that pays. */
export function folderFor(work: string, generator: string, program: string, name: string): string {
  const folder = join(work, generator)
  mkdirSync(folder)
  for (const each of descriptions) copyFileSync(join(work, `${each}.json`), join(folder, `${each}.json`))
  copyFileSync(`test/generators/programs/${program}`, join(folder, name))
  return folder
}
