/** The files that `init` writes. */
/** The test runners that `init` writes for. */
export type Kind = 'vitest' | 'jest' | 'node-test' | 'pytest' | 'go' | 'php'

/** A file that `init` writes. */
export interface InitFile {
  /** Relative to the project. */
  readonly path: string
  readonly text: string
}

/** A project that `init` writes for. */
export interface Project {
  readonly kind: Kind
  readonly framework: string | undefined
  readonly name: string
  /** Whether `.js` files are ES modules. */
  readonly isModule: boolean
}

/** The parts of a project's files that depend on its language. */
export interface Language {
  readonly own: readonly InitFile[]
  /** The command that runs the tests. */
  readonly test: string
  /** The steps of the workflow that prepare the job. */
  readonly setup: string
  readonly next: readonly string[]
}

/** The Compose service, which is the same for all languages. */
export const COMPOSE = `# docker compose -f compose.payments.yml up --wait
services:
  payments-sandbox:
    # Build it once from a checkout of the sandbox: docker build -t payments-sandbox CHECKOUT
    image: payments-sandbox
    ports: ['127.0.0.1:8080:8080']
    environment:
      # Callbacks to localhost go to this machine.
      SANDBOX_CALLBACK_HOST: host.docker.internal
    extra_hosts: ['host.docker.internal:host-gateway']
    healthcheck:
      test: [CMD, payments-sandbox, healthcheck]
      interval: 2s
      retries: 15
`

/** Returns the CI workflow. */
export const workflow = (setup: string, test: string) => `name: payments
on: [push, pull_request]
permissions:
  contents: read
jobs:
  payments:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${setup}
      - run: ${test}
`
