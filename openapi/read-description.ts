import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import {
  bundle,
  type Config,
  createConfig,
  getLineColLocation,
  lint,
  type NormalizedProblem,
  type Oas3Rule,
  type Plugin,
} from '@redocly/openapi-core'
import { parse } from 'yaml'
import type { OpenApiDocument, Schema } from './document.ts'
import { endlessParts } from './request-limits.ts'
import { schemaFaults } from './schema-keywords.ts'

/** Refuses, at its place in the file, what the generator cannot turn into code. */
const generatable: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    for (const { keyword, message } of schemaFaults(schema as Schema))
      report({ message, location: keyword ? location.child(keyword).key() : location })
  },
  ref(node, { report, location, type }) {
    if (type.name !== 'Schema') return
    for (const { keyword, message } of schemaFaults(node as Schema))
      report({ message, location: keyword ? location.child(keyword).key() : location })
  },
})

const plugin: Plugin = { id: 'generator', rules: { oas3: { generatable } } }

/**
 * One document out of a description's files, held to the rules of the redocly.yaml beside it.
 * @throws with file, line and message of everything the rules find, or with what of a request has no limit
 */
export async function readDescription(file: string): Promise<OpenApiDocument> {
  const config = await readRules(join(dirname(file), 'redocly.yaml'))
  const problems = await lint({ ref: file, config })
  if (problems.length) throw new Error(problems.map(problemLine).join('\n'))
  const result = await bundle({ ref: file, config })
  if (result.problems.length) throw new Error(result.problems.map(problemLine).join('\n'))
  const document = result.bundle.parsed as OpenApiDocument
  const endless = endlessParts(document)
  if (endless.length) throw new Error(endless.join('\n'))
  return document
}

async function readRules(file: string): Promise<Config> {
  const rules = parse(await readFile(file, 'utf8')) as { rules?: object }
  return createConfig(
    { ...rules, plugins: [plugin], rules: { ...rules.rules, 'generator/generatable': 'error' } },
    { configPath: file },
  )
}

function problemLine({ location: [place], message, ruleId }: NormalizedProblem): string {
  if (!place) return `${message} (${ruleId})`
  const { source, start } = getLineColLocation(place)
  return `${relative(process.cwd(), source.absoluteRef)}:${start.line}:${start.col}: ${message} (${ruleId})`
}
