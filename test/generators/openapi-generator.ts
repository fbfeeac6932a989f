/** Clients of openapi-generator, in the languages that it is held in: each is made, compiled and pays. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptions, folderFor, install, run, versionOf } from './tools.ts'

/** With what a client in Java compiles: the list of the pom.xml that the generator writes beside it, without tests. */
const libraries = [
  ['com.fasterxml.jackson.datatype', 'jackson-datatype-jsr310', versionOf('jackson')],
  ['org.openapitools', 'jackson-databind-nullable', versionOf('jackson-databind-nullable')],
  ['com.google.code.findbugs', 'jsr305', versionOf('jsr305')],
  ['jakarta.annotation', 'jakarta.annotation-api', versionOf('jakarta.annotation-api')],
] as const

const plugin = `org.apache.maven.plugins:maven-dependency-plugin:${versionOf('maven-dependency-plugin')}`
const everything =
  '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'

const dependency = ([group, artifact, version]: readonly [string, string, string], more = '') =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</dependency>`

/** A quick compiler matters more than quick code: each of these runs for seconds. */
const quick = '-XX:TieredStopAtLevel=1'

/** The folder with the generator's jar and those of the libraries, fetched once. @throws NotInstalled */
function jars(work: string): string {
  const folder = join(work, 'jars')
  if (existsSync(join(folder, 'lib'))) return folder
  mkdirSync(folder, { recursive: true })
  const generator = ['org.openapitools', 'openapi-generator-cli', versionOf('openapi-generator')] as const
  const dependencies = [dependency(generator, everything), ...libraries.map((each) => dependency(each))]
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>pay</artifactId><version>1</version>` +
      `<dependencies>${dependencies.join('')}</dependencies></project>`,
  )
  install(folder, 'mvn', '-q', '-B', `${plugin}:copy-dependencies`, '-DoutputDirectory=lib')
  return folder
}

/** @param options by description, what sets the names of packages and folders */
function generate(work: string, folder: string, name: string, options: (each: string) => readonly string[]) {
  const jar = join(jars(work), `lib/openapi-generator-cli-${versionOf('openapi-generator')}.jar`)
  const parts = 'models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false'
  for (const each of descriptions) {
    const from = ['-g', name, '-i', `${each}.json`, '-o', each, '--global-property', parts]
    const given = ['generate', ...from, ...unchecked(each), ...options(each)]
    run(folder, 'java', quick, '-Dlog.level=error', '-jar', jar, ...given)
  }
}

// Its parser knows links whose requestBody is text, and none whose requestBody is an object.
const unchecked = (each: string) => (each === 'service' ? ['--skip-validate-spec'] : [])

export function java(work: string, url: string): string {
  const folder = folderFor(work, 'java', 'java.txt', 'Pay.java')
  generate(work, folder, 'java', (each) => {
    const packages = ['--api-package', `${each}.api`, '--model-package', `${each}.model`]
    return ['--library', 'native', '--invoker-package', each, ...packages]
  })
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.java'))
  const lib = join(jars(work), 'lib')
  // The generator's own jar has another Jackson in it.
  const used = readdirSync(lib).filter((name) => !name.startsWith('openapi-generator'))
  const classes = used.map((name) => join(lib, name)).join(':')
  run(folder, 'javac', `-J${quick}`, '-nowarn', '-proc:none', '-cp', classes, '-d', 'out', ...sources)
  return run(folder, 'java', quick, '-cp', `out:${classes}`, 'Pay', url)
}

export function go(work: string, url: string): string {
  const folder = folderFor(work, 'openapi-generator-go', 'openapi-generator-go.txt', 'pay.go')
  generate(work, folder, 'go', (each) => [
    '--package-name',
    each,
    '--additional-properties',
    'withGoMod=false',
  ])
  run(folder, 'go', 'mod', 'init', 'example.test/pay')
  install(folder, 'go', 'mod', 'tidy')
  run(folder, 'go', 'build', '-o', 'pay', '.')
  return run(folder, join(folder, 'pay'), url)
}
