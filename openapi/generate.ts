/**
 * The first half of `npm run generate`: lints and bundles each description, and writes its code, the JSON Schema of
 * scenario files and the tables of docs. The second half, write-descriptions.ts, needs that code. With `--check`, writes
 * nothing and fails if a file is out of date.
 */
import { loadPath } from '../src/scenarios/read.ts'
import { profileJsonSchema } from '../src/certify/read-profile.ts'
import { planJsonSchema } from '../src/certify/plans.ts'
import { certificationJsonSchema } from '../src/certify/schema.ts'
import { overlayJsonSchema } from '../src/fidelity/overlay.ts'
import { scenarioJsonSchema } from '../src/scenarios/file.ts'
import { incidentJsonSchema } from '../src/scenarios/incident.ts'
import { planJsonSchema as trafficPlanSchema } from '../src/traffic/plan.ts'
import { runJsonSchema } from '../src/traffic/result.ts'
import { withTestNumbers } from './test-numbers.ts'
import type { OpenApiDocument } from './document.ts'
import { formatted } from './formatted.ts'
import { guidePages } from './guides.ts'
import { monitoringFiles } from './monitoring.ts'
import { certificationTypesCode, incidentsCode, scenariosCode, scenarioTypesCode } from './scenarios-code.ts'
import { defaultSeedText, componentJsonSchema } from './seed-files.ts'
import { readDescription } from './read-description.ts'
import { renderDescription } from './render.ts'
import { writeFiles } from './write-files.ts'

const descriptions = [
  { source: 'openapi/openapi.yaml', folder: 'src/generated/service' },
  { source: 'openapi/control.yaml', folder: 'src/generated/control' },
  { source: 'openapi/extensions.yaml', folder: 'src/generated/extensions' },
]

async function generate(check: boolean): Promise<void> {
  const changed: string[] = []
  const documents: OpenApiDocument[] = []
  const scenarios = await loadPath('scenarios')
  for (const { source, folder } of descriptions) {
    const document = withTestNumbers(await readDescription(source), scenarios)
    documents.push(document)
    const files = await renderDescription(document, folder)
    changed.push(...(await writeFiles(folder, files, { check })))
  }
  const files = new Map([
    ...(await guidePages({
      service: documents[0]!,
      control: documents[1]!,
      extensions: documents[2]!,
      scenarios,
    })),
    ['src/generated/scenarios.ts', await scenariosCode('scenarios')],
    [
      'src/generated/scenario-file.ts',
      await scenarioTypesCode(
        scenarioJsonSchema(),
        scenarios.map(({ name }) => name),
      ),
    ],
    ['src/generated/certification.ts', await certificationTypesCode(certificationJsonSchema())],
    [
      'src/generated/incidents.ts',
      await incidentsCode(
        'incidents',
        scenarios.map(({ name }) => name),
      ),
    ],
    ['incidents/incident.schema.json', await json(incidentJsonSchema())],
    ['incidents/plan.schema.json', await json(trafficPlanSchema())],
    ['incidents/result.schema.json', await json(runJsonSchema())],
    ['scenarios/scenario.schema.json', await json(scenarioJsonSchema())],
    ['certify/profile.schema.json', await json(profileJsonSchema())],
    ['certify/plan.schema.json', await json(planJsonSchema())],
    ['certify/certification.schema.json', await json(certificationJsonSchema())],
    ['fidelity/overlay.schema.json', await json(overlayJsonSchema())],
    [
      'fidelity/report.schema.json',
      await json(
        componentJsonSchema(
          documents[1]!,
          'FidelityReport',
          'A comparison of payments-sandbox with the service',
        ),
      ),
    ],
    ['seeds/seed.schema.json', await json(componentJsonSchema(documents[1]!, 'Seed', 'Seed'))],
    ['seeds/default.yaml', await defaultSeedText()],
    ...(await monitoringFiles()),
  ])
  changed.push(...(await writeFiles('.', files, { check })))
  for (const path of changed) console.log(`${check ? 'would change' : 'wrote'} ${path}`)
  if (!changed.length) console.log('nothing changed')
  else if (check) throw new Error('generated files are not up to date: run npm run generate')
}

const json = (value: object) => formatted('schema.json', JSON.stringify(value))

try {
  await generate(process.argv.includes('--check'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
