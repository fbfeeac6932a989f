/** The clients of docs/clients.md: each is generated with the command of that page, compiled, and pays. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'

/** The releases that the page names, and what their clients compile with. */
const versions = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  '@types/node': '20.19.25',
  'openapi-python-client': '0.29.1',
  'oapi-codegen': '2.8.2',
  'oapi-codegen/runtime': '1.8.0',
  'openapi-generator': '7.25.0',
  'openapi-generator before': '7.16.0',
  jackson: '2.19.2',
  'jackson-databind-nullable': '0.2.7',
  jsr305: '3.0.2',
  'jakarta.annotation-api': '1.3.5',
  'maven-dependency-plugin': '3.8.1',
  'jillejr.newtonsoft.json-for-unity': '12.0.101',
} as const

type Name = keyof typeof versions
const release = (name: Name) => `${name}@${versions[name]}`

/** Where a running sandbox serves its descriptions, by the folder that their clients are written to. */
export const descriptions = {
  client: '/openapi.json',
  control: '/sandbox/openapi.json',
  extensions: '/openapi-extensions.json',
} as const

/** A registry that fails says nothing about the descriptions. */
export class NotInstalled extends Error {}

/** The commands of the page, each a line. */
export const documentedCommands = readFileSync('docs/clients.md', 'utf8')
  .split('\n')
  .filter((line) => line.includes('http://127.0.0.1:8080/') && line.includes(' client'))

export interface Client {
  /** How its command begins on the page. */
  readonly command: string
  readonly release: string
  /** Programs without which it is skipped. */
  readonly needs: readonly string[]
  /** The program that pays, in test/generators/programs, and its name in the client's folder. */
  readonly program: readonly [source: string, name: string]
  /** Options that name the package of a description; without them only the service has a client. */
  readonly others?: (folder: string) => string
  readonly install?: (workshop: Workshop) => void
  /** Compiles the program and runs it; returns what it prints. */
  readonly pay: (workshop: Workshop, url: string) => string
}

/** A quick compiler matters more than quick code: each of these runs for seconds. */
const quick = '-XX:TieredStopAtLevel=1'

/** The folder that one client is made in, and `bin`, whose programs the commands find. */
export class Workshop {
  readonly folder: string
  readonly bin: string

  readonly work: string

  constructor(work: string, name: string) {
    this.work = work
    this.folder = join(work, name)
    this.bin = join(work, 'bin')
    for (const each of [this.folder, this.bin]) mkdirSync(each, { recursive: true })
  }

  /** @throws Error with the end of its output when the program fails */
  run(command: string, ...args: readonly string[]): string {
    const { error, status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      env: { ...process.env, PATH: `${this.bin}:${process.env['PATH']}` },
    })
    if (error) throw error
    if (status !== 0)
      throw new Error(
        `${command} ${args.join(' ')} ended with ${status}: ${`${stdout}${stderr}`.slice(-3000)}`,
      )
    return `${stdout}${stderr}`
  }

  /** Runs a program that downloads from a registry. @throws NotInstalled */
  install(command: string, ...args: readonly string[]): void {
    try {
      this.run(command, ...args)
    } catch (error) {
      throw new NotInstalled((error as Error).message)
    }
  }

  /** Makes a command of the page one that runs `line`. */
  link(name: string, line: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
  }

  sources(ending: string): readonly string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith(ending),
    )
  }
}

/** Generates a client with the command of the page and pays with it. */
export function payWith(client: Client, work: string, url: string): string {
  const workshop = new Workshop(work, client.command.replaceAll(/\W+/g, '-'))
  const [source, name] = client.program
  copyFileSync(`test/generators/programs/${source}`, join(workshop.folder, name))
  client.install?.(workshop)
  const found = documentedCommands.filter((line) => line.startsWith(client.command))
  if (found.length !== 1) throw new Error(`docs/clients.md has ${found.length} commands for it`)
  for (const [folder, path] of Object.entries(descriptions)) {
    if (folder !== 'client' && client.others === undefined) continue
    const more = folder === 'client' ? '' : ` ${client.others!(folder)}`
    const line = found[0]!
      .replace('http://127.0.0.1:8080/openapi.json', `${url}${path}`)
      .replaceAll(/(?<=(-o|-package|--output-path) )client\b/g, folder)
    const output = workshop.run('sh', '-c', `${line}${more}`)
    if (/^warning/im.test(output)) throw new Error(output)
  }
  return client.pay(workshop, url)
}

const maven = (group: string, artifact: string, version: string, more = '') =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</dependency>`

const pom = (dependencies: readonly string[]) =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>pay</artifactId><version>1</version>` +
  `<dependencies>${dependencies.join('')}</dependencies></project>`

/** The folder with these libraries of Maven, fetched once. @throws NotInstalled */
function jars(work: string, name: string, dependencies: readonly string[]): string {
  const workshop = new Workshop(work, name)
  if (existsSync(join(workshop.folder, 'lib'))) return join(workshop.folder, 'lib')
  writeFileSync(join(workshop.folder, 'pom.xml'), pom(dependencies))
  const plugin = `org.apache.maven.plugins:maven-dependency-plugin:${versions['maven-dependency-plugin']}`
  workshop.install('mvn', '-q', '-B', `${plugin}:copy-dependencies`, '-DoutputDirectory=lib')
  return join(workshop.folder, 'lib')
}

const alone = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'

/** The command line that starts a release of openapi-generator. @throws NotInstalled */
export function generatorLine(work: string, name: 'openapi-generator' | 'openapi-generator before'): string {
  const version = versions[name]
  const dependency = maven('org.openapitools', 'openapi-generator-cli', version, alone)
  const folder = jars(work, name.replace(' ', '-'), [dependency])
  return `java ${quick} -Dlog.level=error -jar ${folder}/openapi-generator-cli-${version}.jar`
}

const installGenerator = (workshop: Workshop) =>
  workshop.link('openapi-generator-cli', generatorLine(workshop.work, 'openapi-generator'))

function compileGo(workshop: Workshop, url: string): string {
  workshop.run('go', 'mod', 'init', 'example.test/pay')
  workshop.install('go', 'mod', 'tidy')
  workshop.run('go', 'build', '-o', 'pay', '.')
  return workshop.run(join(workshop.folder, 'pay'), url)
}

/** With what a client in Java compiles: the libraries of the pom.xml that the generator writes, without its tests'. */
const javaLibraries = [
  maven('com.fasterxml.jackson.datatype', 'jackson-datatype-jsr310', versions.jackson),
  maven('org.openapitools', 'jackson-databind-nullable', versions['jackson-databind-nullable']),
  maven('com.google.code.findbugs', 'jsr305', versions.jsr305),
  maven('jakarta.annotation', 'jakarta.annotation-api', versions['jakarta.annotation-api']),
]

const openapiGenerator = { release: release('openapi-generator'), install: installGenerator }

export const clients: readonly Client[] = [
  {
    command: 'npx openapi-typescript ',
    release: `${release('openapi-typescript')} with ${release('openapi-fetch')}`,
    needs: [],
    program: ['typescript.txt', 'pay.ts'],
    others: () => '',
    install(workshop) {
      writeFileSync(join(workshop.folder, 'package.json'), '{ "type": "module" }')
      const packages = ['openapi-typescript', 'openapi-fetch', 'typescript', '@types/node'] as const
      workshop.install('npm', 'install', '--silent', '--no-audit', '--no-fund', ...packages.map(release))
    },
    pay(workshop, url) {
      const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
      workshop.run('npx', 'tsc', ...options, '--outDir', 'out', 'pay.ts')
      return workshop.run('node', 'out/pay.js', url)
    },
  },
  {
    command: 'openapi-python-client ',
    release: release('openapi-python-client'),
    needs: ['python3 -c "import ensurepip"'],
    program: ['python.txt', 'pay.py'],
    others: () => '',
    install(workshop) {
      workshop.run('python3', '-m', 'venv', 'venv')
      const generator = `openapi-python-client==${versions['openapi-python-client']}`
      workshop.install('venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', generator)
      const bin = join(workshop.folder, 'venv/bin')
      workshop.link('openapi-python-client', `env PATH="${bin}:$PATH" ${bin}/openapi-python-client`)
    },
    pay(workshop, url) {
      workshop.run('venv/bin/python', '-m', 'compileall', '-q', ...Object.keys(descriptions))
      return workshop.run('venv/bin/python', 'pay.py', url)
    },
  },
  {
    command: 'oapi-codegen ',
    release: release('oapi-codegen'),
    needs: ['go version'],
    program: ['go.txt', 'pay.go'],
    others: () => '',
    install(workshop) {
      const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions['oapi-codegen']}`
      workshop.install('go', 'run', tool, '-version')
      workshop.link('oapi-codegen', `go run ${tool}`)
      for (const each of Object.keys(descriptions)) mkdirSync(join(workshop.folder, each))
    },
    pay(workshop, url) {
      writeFileSync(
        join(workshop.folder, 'go.mod'),
        `module example.test/pay\n\ngo 1.24.0\n\nrequire github.com/oapi-codegen/runtime v${versions['oapi-codegen/runtime']}\n`,
      )
      workshop.install('go', 'mod', 'tidy')
      workshop.run('go', 'build', '-o', 'pay', '.')
      return workshop.run(join(workshop.folder, 'pay'), url)
    },
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g java ',
    needs: ['javac -version', 'mvn -version'],
    program: ['java.txt', 'Pay.java'],
    others: (folder) =>
      `--invoker-package ${folder} --api-package ${folder}.api --model-package ${folder}.model`,
    pay(workshop, url) {
      const lib = jars(workshop.work, 'java-libraries', javaLibraries)
      const classes = readdirSync(lib)
        .map((name) => join(lib, name))
        .join(':')
      const sources = workshop.sources('.java').filter((file) => !file.includes('/src/test/'))
      workshop.run('javac', `-J${quick}`, '-nowarn', '-proc:none', '-cp', classes, '-d', 'out', ...sources)
      return workshop.run('java', quick, '-cp', `out:${classes}`, 'Pay', url)
    },
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g go ',
    needs: ['java -version', 'mvn -version', 'go version'],
    program: ['openapi-generator-go.txt', 'pay.go'],
    others: (folder) => `--package-name ${folder}`,
    pay: compileGo,
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g python ',
    needs: ['java -version', 'mvn -version', 'python3 -c "import ensurepip"'],
    program: ['openapi-generator-python.txt', 'pay.py'],
    pay(workshop, url) {
      workshop.run('python3', '-m', 'venv', 'venv')
      workshop.install('venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', './client')
      return workshop.run('venv/bin/python', 'pay.py', url)
    },
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g csharp ',
    needs: ['java -version', 'mvn -version', 'mcs --version', 'mono --version'],
    program: ['csharp.txt', 'Pay.cs'],
    pay(workshop, url) {
      // Newtonsoft.Json is on NuGet, which not every machine reaches; npm has a build of it for Mono.
      const json = 'jillejr.newtonsoft.json-for-unity'
      workshop.install('npm', 'install', '--silent', '--no-audit', '--no-fund', release(json))
      const library = join(
        workshop.folder,
        'node_modules',
        json,
        'Plugins/Newtonsoft.Json Editor/Newtonsoft.Json.dll',
      )
      copyFileSync(library, join(workshop.folder, 'Newtonsoft.Json.dll'))
      const sources = workshop.sources('.cs').filter((file) => !file.includes('OpenAPITools.Test/'))
      const system = ['Net.Http', 'Web', 'Runtime.Serialization', 'ComponentModel.DataAnnotations']
      const references = [...system.map((each) => `-r:System.${each}`), '-r:Newtonsoft.Json.dll']
      workshop.run('mcs', '-langversion:latest', '-out:pay.exe', ...references, ...sources)
      return workshop.run('mono', 'pay.exe', url)
    },
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g typescript-fetch ',
    needs: ['java -version', 'mvn -version'],
    program: ['openapi-generator-typescript.txt', 'pay.ts'],
    install(workshop) {
      installGenerator(workshop)
      const packages = ['typescript', '@types/node'] as const
      workshop.install('npm', 'install', '--silent', '--no-audit', '--no-fund', ...packages.map(release))
    },
    pay(workshop, url) {
      const options = ['--strict', '--module', 'commonjs', '--target', 'es2022', '--lib', 'es2022,dom']
      workshop.run('npx', 'tsc', ...options, '--outDir', 'out', 'pay.ts')
      return workshop.run('node', 'out/pay.js', url)
    },
  },
  {
    ...openapiGenerator,
    command: 'openapi-generator-cli generate -g php ',
    needs: [
      'java -version',
      'mvn -version',
      `php -r "exit(file_exists('/usr/share/php/GuzzleHttp/autoload.php') ? 0 : 1);"`,
    ],
    program: ['php.txt', 'pay.php'],
    pay: (workshop, url) => workshop.run('php', resolve(workshop.folder, 'pay.php'), url),
  },
]
