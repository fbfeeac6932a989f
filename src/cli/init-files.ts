/** The files that `init` writes, which are templates in `templates/init`. */
import { readFile } from 'node:fs/promises'
import { files, packageVersion } from '../lib/files.ts'

export const kinds = ['vitest', 'jest', 'node-test', 'pytest', 'junit', 'go', 'php'] as const
/** The test runners that `init` writes for. */
export type Kind = (typeof kinds)[number]

/** A project that `init` writes for. */
export interface Project {
  readonly kind: Kind
  readonly framework?: string | undefined
  readonly name: string
  /** Whether `.js` files are ES modules. */
  readonly isModule?: boolean
  /** Whether the project is in TypeScript. */
  readonly isTyped?: boolean
  /** The folder of the sources, with a slash at the end, such as `src/` in Next.js. */
  readonly sources?: string
  /** The package of Java, or the settings module of Django. */
  readonly module?: string | undefined
}

interface Template {
  readonly path: string
  /** Relative to `templates/init`. */
  readonly from: string
  readonly edit?: (text: string) => string
}

interface Plan {
  readonly own: readonly Template[]
  /** The command that runs the tests. */
  readonly test: string
  /** The workflow template. */
  readonly workflow: string
  /** Files of a release, which the project keeps in `third_party`. */
  readonly artefacts: readonly string[]
  /** The commands that install the packages. */
  readonly install: readonly string[]
  /** The packages that the workflow installs with pip. */
  readonly packages?: string
}

/** The command, for clients that start it. */
const SERVER = 'payments-sandbox-VERSION.tgz'

/** Returns code as an ES module, or as a CommonJS module. */
const asModule = (code: string, isModule: boolean) =>
  isModule
    ? code
    : code
        .replace(/^import (\{[^}]*\}|\w+) from '([^']+)'$/gm, "const $1 = require('$2')")
        .replace(/^export function (\w+)/gm, 'exports.$1 = $1\nfunction $1')

/** Changes of the tests for Vitest into those of another runner. */
const runners: Partial<Record<Kind, (code: string) => string>> = {
  jest: (code) =>
    code.replace("{ expect, test } from 'payments-sandbox/vitest'", "{ test } from 'payments-sandbox/jest'"),
  'node-test': (code) =>
    code
      .replace(
        "import { expect, test } from 'payments-sandbox/vitest'",
        "import { test } from 'payments-sandbox/node-test'",
      )
      .replace(/^/, "import assert from 'node:assert/strict'\n")
      .replace(/expect\((.+)\)\.toBe\((.+)\)/g, 'assert.equal($1, $2)'),
}

function node({ kind, framework, isModule = false, isTyped = false, sources = '' }: Project): Plan {
  const isNext = framework === 'next'
  // Jest runs CommonJS; the others run ES modules.
  const isEs = kind !== 'jest'
  const extension = isEs === isModule ? 'js' : isEs ? 'mjs' : 'cjs'
  const imports = (code: string) => code.replaceAll('receiver.js', `receiver.${extension}`)
  const edit = (code: string) => asModule(imports(code), isEs)
  const plain = (code: string) =>
    framework === 'express' || isNext
      ? code
      : code
          .replace("import express from 'express'\n", '')
          .replace("express().post('/callbacks/payments', receiver)", 'receiver')
  const folder = isNext ? 'next' : 'node'
  const file = `${sources}payments/payments.test.${extension}`
  return {
    own: [
      { path: `${sources}payments/receiver.${extension}`, from: `${folder}/receiver.js`, edit },
      ...(isNext
        ? [{ path: `${sources}app/callbacks/payments/route.js`, from: 'next/route.js', edit: imports }]
        : []),
      {
        path: file,
        from: `${folder}/payments.test.js`,
        edit: (code) => edit((runners[kind] ?? String)(plain(code))),
      },
    ],
    test:
      kind === 'node-test'
        ? `node --test ${file}`
        : kind === 'jest'
          ? 'npx jest payments'
          : 'npx vitest run payments',
    workflow: 'node',
    artefacts: [SERVER],
    install: [
      `npm install --save-dev payments-sandbox@file:third_party/${SERVER}`,
      ...(isTyped
        ? [
            `# set "allowJs": true in the compilerOptions of tsconfig.json, because code in TypeScript imports ${sources}payments/receiver.${extension}`,
          ]
        : []),
    ],
  }
}

function python({ framework, module }: Project): Plan {
  const folder = framework === 'fastapi' || framework === 'django' ? framework : 'python'
  const extra = { fastapi: 'payments_app.py', django: 'payments_views.py', python: undefined }[folder]
  const wheel = 'payments_sandbox-VERSION-py3-none-any.whl'
  const tools = { fastapi: ' fastapi uvicorn', django: ' django pytest-django', python: '' }[folder]
  const packages = `pytest${tools} "./third_party/${wheel}[server]"`
  return {
    own: [
      { path: 'payments_receiver.py', from: 'python/payments_receiver.py' },
      ...(extra ? [{ path: extra, from: `${folder}/${extra}` }] : []),
      { path: 'test_payments.py', from: `${folder}/test_payments.py` },
    ],
    test: `python -m pytest${folder === 'django' ? ` --ds=${module}` : ''} test_payments.py`,
    workflow: 'python',
    artefacts: [wheel],
    install: [`pip install ${packages}`],
    packages,
  }
}

function java({ framework, module = 'shop' }: Project): Plan {
  const isSpring = framework === 'spring'
  const folder = module.replaceAll('.', '/')
  const edit = (code: string) =>
    code.replace('package shop;', `package ${module};`).replace('import shop.', `import ${module}.`)
  const main = (name: string, from: string) => ({
    path: `src/main/java/${folder}/${name}.java`,
    from: `${from}/${name}.java`,
    edit,
  })
  const jar = 'payments-sandbox-VERSION'
  return {
    own: [
      main('PaymentsReceiver', 'java'),
      ...(isSpring ? [main('PaymentsController', 'spring')] : []),
      {
        path: `src/test/java/${folder}/PaymentsReceiverTest.java`,
        from: `${isSpring ? 'spring' : 'java'}/PaymentsReceiverTest.java`,
        edit,
      },
    ],
    test: 'mvn test -Dtest=PaymentsReceiverTest',
    workflow: 'java',
    artefacts: [SERVER, `${jar}.jar`, `${jar}.pom`],
    install: [
      `npm install --global ./third_party/${SERVER}`,
      `mvn --quiet install:install-file -Dfile=third_party/${jar}.jar -DpomFile=third_party/${jar}.pom`,
      '# add to the dependencies of pom.xml: <dependency><groupId>io.github.OWNER</groupId><artifactId>payments-sandbox</artifactId><version>VERSION</version><scope>test</scope></dependency>',
    ],
  }
}

const go = (): Plan => ({
  own: [
    { path: 'payments/receiver.go', from: 'go/receiver.go' },
    { path: 'payments/receiver_test.go', from: 'go/receiver_test.go' },
  ],
  test: 'go test ./payments',
  workflow: 'go',
  artefacts: [SERVER, 'payments-sandbox-go-VERSION.tar.gz'],
  install: [
    `npm install --global ./third_party/${SERVER}`,
    'tar -xzf third_party/payments-sandbox-go-VERSION.tar.gz -C third_party',
    'go mod edit -require github.com/OWNER/payments-sandbox/clients/go@vVERSION -replace github.com/OWNER/payments-sandbox/clients/go=./third_party/payments-sandbox-go',
    // Raises the Go version of go.mod to that of the client.
    'go mod tidy',
  ],
})

const php = (): Plan => ({
  own: [
    { path: 'PaymentsReceiver.php', from: 'php/PaymentsReceiver.php' },
    { path: 'tests/PaymentsTest.php', from: 'php/PaymentsTest.php' },
  ],
  test: 'vendor/bin/phpunit tests/PaymentsTest.php',
  workflow: 'php',
  artefacts: [SERVER, 'payments-sandbox-php-VERSION.tar.gz'],
  install: [
    `npm install --global ./third_party/${SERVER}`,
    'tar -xzf third_party/payments-sandbox-php-VERSION.tar.gz -C third_party',
    'composer config repositories.payments-sandbox path third_party/payments-sandbox-php',
    'composer require --dev phpunit/phpunit',
    'composer require --dev owner/payments-sandbox:VERSION',
  ],
})

const plans: Readonly<Record<Kind, (project: Project) => Plan>> = {
  vitest: node,
  jest: node,
  'node-test': node,
  pytest: python,
  junit: java,
  go,
  php,
}

/** Returns the files of a project, in the order in which a reader opens them, and the commands to run next. */
export async function filesFor(project: Project) {
  const plan = plans[project.kind](project)
  const complete = (text: string) =>
    text
      .replaceAll('VERSION', packageVersion())
      .replace('TEST_COMMAND', plan.test)
      .replace('PACKAGES', plan.packages ?? '')
  const templates: readonly Template[] = [
    ...plan.own,
    { path: '.github/workflows/payments.yml', from: `workflows/${plan.workflow}.yml`, edit: complete },
    { path: 'compose.payments.yml', from: 'compose.payments.yml' },
  ]
  return {
    files: await Promise.all(
      templates.map(async ({ path, from, edit = String }) => ({
        path,
        text: edit(await readFile(new URL(from, files.initTemplates), 'utf8')),
      })),
    ),
    next: [
      '(cd CHECKOUT && npm ci && build/release)   # CHECKOUT is a checkout of the sandbox; nothing is published yet',
      `mkdir -p third_party && cp ${plan.artefacts.map((each) => `CHECKOUT/release/${each}`).join(' ')} third_party`,
      ...plan.install,
      plan.test,
    ].map(complete),
  }
}
