/** What to watch: for each metric its panel and alerts. The alert rules, the dashboard and the table of the guide follow. */
import { stringify } from 'yaml'
import { formatted } from './formatted.ts'
import { metricHelp, type MetricName } from '../src/http/metrics.ts'

interface Panel {
  readonly title: string
  /** PromQL, and the legend of its series. */
  readonly queries: readonly (readonly [query: string, legend: string])[]
  readonly unit: 'reqps' | 's' | 'short' | 'bytes'
}

interface Alert {
  readonly name: string
  readonly when: string
  readonly for: string
  readonly severity: 'critical' | 'warning'
  readonly summary: string
  /** The probable cause and what to do. */
  readonly action: string
}

interface Watched {
  readonly panel?: Panel
  readonly alerts?: readonly Alert[]
}

const RATE = '[$__rate_interval]'
/** Waiting requests and event streams last as long as their callers want. */
const PROMPT = 'operation!~"wait.*|streamEvents"'
const p99 = (metric: string, by: string, range: string, filter = '') =>
  `histogram_quantile(0.99, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket${filter && `{${filter}}`}${range})))`

const watched: { readonly [Name in MetricName]: Watched } = {
  sandbox_requests_total: {
    panel: {
      title: 'Requests',
      queries: [[`sum by (status) (rate(sandbox_requests_total${RATE}))`, '{{status}}']],
      unit: 'reqps',
    },
    alerts: [
      {
        name: 'SandboxUnavailable',
        when: 'sum(rate(sandbox_requests_total{status="503"}[5m])) / sum(rate(sandbox_requests_total[5m])) > 0.01',
        for: '5m',
        severity: 'critical',
        summary: '{{ $value | humanizePercentage }} of the requests get 503.',
        action:
          'The database is unavailable, or memory is used up: look at SandboxDatabaseUnavailable, SandboxMemoryNearLimit and log lines with the event database.',
      },
      {
        name: 'SandboxInternalErrors',
        when: 'sum(increase(sandbox_requests_total{status="500"}[10m])) > 0',
        for: '0m',
        severity: 'warning',
        summary: '{{ $value | humanize }} requests failed with 500 within ten minutes.',
        action: 'This is a fault of the sandbox: report the log lines with the level error.',
      },
    ],
  },
  sandbox_request_seconds: {
    panel: {
      title: 'Latency of requests, 99th percentile',
      queries: [[p99('sandbox_request_seconds', 'operation', RATE, PROMPT), '{{operation}}']],
      unit: 's',
    },
    alerts: [
      {
        name: 'SandboxSlow',
        when: `${p99('sandbox_request_seconds', '', '[5m]', PROMPT)} > 0.5`,
        for: '10m',
        severity: 'warning',
        summary: 'One request in a hundred takes longer than {{ $value | humanizeDuration }}.',
        action: 'Compare with the latency of the database; add processes if their CPU is used up.',
      },
    ],
  },
  sandbox_callback_attempts_total: {
    panel: {
      title: 'Callback attempts',
      queries: [[`sum by (result) (rate(sandbox_callback_attempts_total${RATE}))`, '{{result}}']],
      unit: 'reqps',
    },
  },
  sandbox_callbacks_in_flight: {
    panel: {
      title: 'Callbacks in flight and waiting',
      queries: [
        ['sum(sandbox_callbacks_in_flight)', 'in flight'],
        ['sum(sandbox_callbacks_waiting)', 'waiting'],
      ],
      unit: 'short',
    },
  },
  sandbox_callbacks_waiting: {
    alerts: [
      {
        name: 'SandboxCallbacksWait',
        when: 'min_over_time(sandbox_callbacks_waiting[15m]) > 100 and delta(sandbox_callbacks_waiting[15m]) > 0',
        for: '15m',
        severity: 'warning',
        summary: '{{ $value | humanize }} due callbacks wait, and their number grows.',
        action:
          'Receivers hang: find them in the log by the event callback attempt, and lower SANDBOX_CALLBACK_TIMEOUT.',
      },
    ],
  },
  sandbox_job_lateness_seconds: {
    panel: {
      title: 'Lateness of jobs, 99th percentile',
      queries: [[p99('sandbox_job_lateness_seconds', 'kind', RATE), '{{kind}}']],
      unit: 's',
    },
  },
  sandbox_jobs_lag_seconds: {
    panel: {
      title: 'Delay of the oldest due job',
      queries: [['max(sandbox_jobs_lag_seconds)', 'delay']],
      unit: 's',
    },
    alerts: [
      {
        name: 'SandboxJobsLate',
        when: 'max(sandbox_jobs_lag_seconds) > 5',
        for: '5m',
        severity: 'critical',
        summary: 'The oldest due job waits for {{ $value | humanizeDuration }}.',
        action:
          'Too few processes run jobs: add one, and check that one took over the worlds of a lost process.',
      },
    ],
  },
  sandbox_jobs_pending: {
    panel: {
      title: 'Pending jobs',
      queries: [['max(sandbox_jobs_pending)', 'jobs']],
      unit: 'short',
    },
  },
  sandbox_worlds: {
    panel: {
      title: 'Worlds and their limit',
      queries: [
        ['max(sandbox_worlds)', 'worlds'],
        ['min(sandbox_worlds_limit)', 'limit'],
      ],
      unit: 'short',
    },
    alerts: [
      {
        name: 'SandboxWorldsNearLimit',
        when: 'max(sandbox_worlds) / min(sandbox_worlds_limit) > 0.9',
        for: '30m',
        severity: 'warning',
        summary: '{{ $value | humanizePercentage }} of SANDBOX_MAX_WORLDS exist.',
        action: 'Delete idle worlds, shorten SANDBOX_WORLD_TTL or raise SANDBOX_MAX_WORLDS.',
      },
    ],
  },
  sandbox_worlds_limit: {},
  sandbox_worlds_bytes: {
    panel: {
      title: 'Memory of worlds by process',
      queries: [
        ['sum by (instance) (sandbox_worlds_bytes)', '{{instance}}'],
        ['min(sandbox_memory_limit_bytes)', 'limit'],
      ],
      unit: 'bytes',
    },
    alerts: [
      {
        name: 'SandboxMemoryNearLimit',
        when: 'sum by (instance) (sandbox_worlds_bytes) / on (instance) sandbox_memory_limit_bytes > 0.9',
        for: '10m',
        severity: 'critical',
        summary:
          'The worlds of {{ $labels.instance }} use {{ $value | humanizePercentage }} of SANDBOX_MAX_MEMORY.',
        action: 'Requests that grow a world get 503 above it: delete worlds and snapshots, or add memory.',
      },
    ],
  },
  sandbox_memory_limit_bytes: {},
  sandbox_world_bytes_max: {
    panel: {
      title: 'Memory of the largest world',
      queries: [['max(sandbox_world_bytes_max)', 'bytes']],
      unit: 'bytes',
    },
  },
  sandbox_waiters: {
    panel: {
      title: 'Waiting requests and event streams',
      queries: [['sum by (item) (sandbox_waiters)', '{{item}}']],
      unit: 'short',
    },
  },
  sandbox_database_seconds: {
    panel: {
      title: 'Latency of the database, 99th percentile',
      queries: [[p99('sandbox_database_seconds', 'kind, shard', RATE), '{{kind}} of shard {{shard}}']],
      unit: 's',
    },
    alerts: [
      {
        name: 'SandboxDatabaseSlow',
        when: `${p99('sandbox_database_seconds', 'shard', '[5m]')} > 0.25`,
        for: '10m',
        severity: 'warning',
        summary:
          'One statement in a hundred of shard {{ $labels.shard }} takes longer than {{ $value | humanizeDuration }}.',
        action: 'Look at locks, the disk and the oldest transaction of the database.',
      },
    ],
  },
  sandbox_database_batch_changes: {
    panel: {
      title: 'Changes per commit',
      queries: [
        [
          `sum(rate(sandbox_database_batch_changes_sum${RATE})) / sum(rate(sandbox_database_batch_changes_count${RATE}))`,
          'changes',
        ],
      ],
      unit: 'short',
    },
  },
  sandbox_forwarded_requests_total: {
    panel: {
      title: 'Forwarded requests',
      queries: [[`sum by (outcome) (rate(sandbox_forwarded_requests_total${RATE}))`, '{{outcome}}']],
      unit: 'reqps',
    },
  },
  sandbox_database_replicated_total: {
    panel: {
      title: 'Applied changes of other processes',
      queries: [[`sum(rate(sandbox_database_replicated_total${RATE}))`, 'changes a second']],
      unit: 'reqps',
    },
  },
  sandbox_database_connections: {
    panel: {
      title: 'Connections to the database',
      queries: [['sum by (instance) (sandbox_database_connections)', '{{instance}}']],
      unit: 'short',
    },
  },
  sandbox_database_unavailable: {
    alerts: [
      {
        name: 'SandboxDatabaseUnavailable',
        when: 'max by (instance, shard) (sandbox_database_unavailable) == 1',
        for: '1m',
        severity: 'critical',
        summary: '{{ $labels.instance }} cannot reach the database of shard {{ $labels.shard }}.',
        action:
          'Its worlds get 503: check the database and the network; the process reconnects without a restart.',
      },
    ],
  },
}

const entries = Object.entries(watched) as readonly (readonly [MetricName, Watched])[]

/** Rules of Prometheus, also the `spec` of a PrometheusRule. */
function alertRules(): string {
  const rules = entries.flatMap(([, { alerts = [] }]) =>
    alerts.map(({ name, when, for: span, severity, summary, action }) => ({
      alert: name,
      expr: when,
      for: span,
      labels: { severity },
      annotations: { summary, description: action },
    })),
  )
  return `# Written by npm run generate from openapi/monitoring.ts.\n${stringify({ groups: [{ name: 'payments-sandbox', rules }] }, { lineWidth: 0 })}`
}

const WIDTH = 12
const HEIGHT = 8

/** A dashboard of Grafana 10 and newer. */
function grafanaDashboard(): object {
  const panels = entries.flatMap(([name, { panel }]) => (panel ? [{ name, ...panel }] : []))
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  return {
    title: 'Payments sandbox',
    uid: 'payments-sandbox',
    tags: ['payments-sandbox'],
    timezone: 'utc',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: panels.map(({ name, title, queries, unit }, n) => ({
      id: n + 1,
      type: 'timeseries',
      title,
      description: metricHelp[name],
      datasource,
      gridPos: { x: (n % 2) * WIDTH, y: Math.floor(n / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      options: {
        tooltip: { mode: 'multi', sort: 'desc' },
        legend: { displayMode: 'list', placement: 'bottom' },
      },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  }
}

/** Returns the files of the chart by path. */
export async function monitoringFiles(): Promise<ReadonlyMap<string, string>> {
  const folder = 'charts/payments-sandbox/files'
  return new Map([
    [`${folder}/alerts.yaml`, await formatted('alerts.yaml', alertRules())],
    [`${folder}/dashboard.json`, await formatted('dashboard.json', JSON.stringify(grafanaDashboard()))],
  ])
}

/** The rows of the guide: alert, metric, action. */
export const monitoringRows = (): readonly (readonly [alert: string, metric: string, action: string])[] =>
  entries.flatMap(([name, { alerts = [] }]) =>
    alerts.map(
      ({ name: alert, severity, action }) => [`\`${alert}\` (${severity})`, `\`${name}\``, action] as const,
    ),
  )
