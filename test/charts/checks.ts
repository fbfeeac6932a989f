/** Checks of what Helm made of the chart. The argument is the file that render.py printed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { check, finish } from '../support/suite.ts'

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly envFrom?: unknown
  readonly securityContext: object
  readonly resources: { readonly limits?: object; readonly requests?: object }
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string } }
}
interface Pod {
  readonly automountServiceAccountToken: boolean
  readonly securityContext: object
  readonly containers: readonly Container[]
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly replicas?: number
    readonly strategy: { readonly type: string }
    readonly template: { readonly spec: Pod; readonly metadata: { readonly labels: object } }
    readonly selector: { readonly matchLabels?: object }
    readonly egress: readonly { readonly to?: unknown }[]
  }
}
interface Rendered {
  readonly path: string
  readonly notes?: string
  readonly document: Manifest
  readonly faults: readonly string[]
}
interface Report {
  readonly lint: Readonly<
    Record<string, { readonly messages: readonly { severity: number; error: string }[] }>
  >
  readonly rendered: Readonly<Record<string, readonly Rendered[]>>
  readonly refused: Readonly<Record<string, { readonly said: string; readonly expected: string }>>
}

const { lint, rendered, refused } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Report

const manifests = (values: string) =>
  rendered[values]!.filter((each) => each.document).map((each) => each.document)
const kinds = (values: string) =>
  manifests(values)
    .map(({ kind }) => kind)
    .toSorted()
const one = (values: string, kind: string) => {
  const found = manifests(values).filter((each) => each.kind === kind)
  assert.equal(found.length, 1, `${found.length} of kind ${kind}`)
  return found[0]!
}
const podOf = (manifest: Manifest) => manifest.spec.template.spec
const containerOf = (manifest: Manifest) => podOf(manifest).containers[0]!

for (const [values, { messages }] of Object.entries(lint))
  await check(`helm lint --strict has nothing against ${values}`, () => {
    // Level 1 is information: that there is no icon.
    assert.deepEqual(
      messages.filter(({ severity }) => severity > 1),
      [],
    )
  })

for (const [values, list] of Object.entries(rendered))
  await check(`what ${values} render is what Kubernetes takes`, () => {
    const made = list.filter(({ document }) => document)
    assert.ok(made.length > 0)
    assert.deepEqual(
      made.flatMap(({ path, faults }) => faults.map((fault) => `${path} ${fault}`)),
      [],
    )
    return `${made.length} manifests`
  })

for (const [values] of Object.entries(rendered))
  await check(`pods of ${values} are nobody's root, write nowhere and have limits`, () => {
    const pods = manifests(values).filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    for (const each of pods) {
      const { securityContext, automountServiceAccountToken } = podOf(each)
      assert.equal(automountServiceAccountToken, false)
      assert.deepEqual(securityContext, {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      const container = containerOf(each)
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.ok(container.resources.limits && container.resources.requests)
    }
  })

await check('over a database they are replaced one by one, and tables are made first', () => {
  assert.deepEqual(kinds('cluster-values'), [
    'ConfigMap',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Ingress',
    'Job',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'PodMonitor',
    'PrometheusRule',
    'Service',
    'ServiceAccount',
  ])
  const deployment = one('cluster-values', 'Deployment')
  assert.deepEqual(deployment.spec.strategy, {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
  })
  assert.equal(deployment.spec.replicas, undefined)
  const job = one('cluster-values', 'Job')
  assert.deepEqual(containerOf(job).args, ['migrate'])
  assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')
  assert.equal(one('trial-values', 'Job').metadata.annotations?.['helm.sh/hook'], 'pre-upgrade')
})

await check('no Service or budget takes the pods of a migration for its own', () => {
  const { matchLabels } = one('cluster-values', 'PodDisruptionBudget').spec.selector
  const labels = one('cluster-values', 'Job').spec.template.metadata.labels
  const isTaken = Object.entries(matchLabels!).every(
    ([name, value]) => (labels as Record<string, unknown>)[name] === value,
  )
  assert.equal(isTaken, false)
})

await check('probes ask what each is for', () => {
  const container = containerOf(one('cluster-values', 'Deployment'))
  assert.deepEqual(
    ['startupProbe', 'readinessProbe', 'livenessProbe'].map(
      (name) => container[name as 'startupProbe']!.httpGet.path,
    ),
    ['/readyz', '/readyz', '/livez'],
  )
})

await check('alerts and the dashboard keep their templates', () => {
  const rules = one('cluster-values', 'PrometheusRule').spec as unknown as {
    readonly groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[]
    }[]
  }
  const { length } = rules.groups[0]!.rules
  assert.ok(length >= 9)
  assert.match(JSON.stringify(rules), /\{\{ \$value \| humanize/)
  const { data } = one('cluster-values', 'ConfigMap') as unknown as {
    readonly data: Readonly<Record<string, string>>
  }
  const { panels } = JSON.parse(data['payments-sandbox.json']!) as { readonly panels: readonly object[] }
  assert.ok(panels.length >= 14)
  return `${length} alerts, ${panels.length} panels`
})

await check('secrets are in no environment that a pod shows', () => {
  for (const values of Object.keys(rendered)) {
    const { env = [], envFrom } = containerOf(one(values, 'Deployment'))
    assert.ok(!env.some(({ name }) => /PASSWORD|TOKEN|SECRET|DATABASE_URL/.test(name)), values)
    if (values !== 'memory-values') assert.ok(envFrom, values)
  }
})

await check('links begin with the address of the Ingress', () => {
  const { env = [] } = containerOf(one('cluster-values', 'Deployment'))
  assert.equal(env.find(({ name }) => name === 'SANDBOX_PUBLIC_URL')?.value, 'https://sandbox.example')
})

await check('callbacks reach nobody within the cluster', () => {
  const { egress } = one('cluster-values', 'NetworkPolicy').spec
  const open = egress.filter(({ to }) => JSON.stringify(to ?? '').includes('0.0.0.0/0'))
  assert.equal(open.length, 1)
  for (const network of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'])
    assert.ok(JSON.stringify(open).includes(network))
})

await check('one process with a file is ended before the next begins', () => {
  assert.deepEqual(kinds('small-values'), ['Deployment', 'PersistentVolumeClaim', 'Secret', 'Service'])
  assert.equal(one('small-values', 'Deployment').spec.strategy.type, 'Recreate')
})

for (const [what, { said, expected }] of Object.entries(refused))
  await check(`${what} is refused`, () => {
    assert.ok(said.includes(expected), said || 'it was taken')
  })

finish()
