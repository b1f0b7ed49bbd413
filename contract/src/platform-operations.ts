import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { unauthorized } from './errors.ts'
import { refusal } from './refusal.ts'

// The service's reports about itself, for operators and tools.

export const getHealth = endpoint({
  isProbe: true,
  method: 'GET',
  path: '/healthz',
  tag: 'Operations',
  summary: 'Check whether the process is alive',
  description: 'Says nothing about dependencies: see `getReadiness`.',
  credential: 'none',
  replies: { 200: z.object({ status: z.literal('ok') }) },
  errors: 'problem',
})

const Readiness = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    missing: z.array(z.string()).meta({ description: 'Required dependencies that are unavailable.' }),
    degraded: z.array(z.string()).meta({ description: 'Optional dependencies that are unavailable.' }),
    details: z
      .record(z.string(), z.string())
      .meta({ description: 'What is wrong with some of them, by name, for operators.' }),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof Readiness>

export const getReadiness = endpoint({
  isProbe: true,
  method: 'GET',
  path: '/readyz',
  tag: 'Operations',
  summary: 'Check whether the service is ready',
  description:
    '200 once the database is migrated, workers run and every required dependency is reachable; otherwise 503. `degraded` lists optional dependencies that are unavailable.',
  credential: 'none',
  replies: { 200: Readiness, 503: Readiness },
  errors: 'problem',
})

export const metricsForbidden = refusal(
  'metrics-forbidden',
  403,
  'Metrics are for this machine only, unless the operator has set METRICS_TOKEN.',
)

export const getMetrics = endpoint({
  isProbe: true,
  method: 'GET',
  path: '/metrics',
  tag: 'Operations',
  summary: 'Get metrics for Prometheus',
  description:
    'With `METRICS_TOKEN`, send it as a bearer token. Without it, only requests from the same machine that no proxy forwarded are answered.',
  credential: 'none',
  request: {
    headers: z.object({ authorization: z.string().optional(), 'x-forwarded-for': z.string().optional() }),
  },
  replies: { 200: raw('text/plain; version=0.0.4; charset=utf-8', 'Prometheus text.') },
  replyHeaders: { 'x-client-address': 'Which address the service takes for the client’s, to check a reverse proxy.' },
  refusals: [unauthorized, metricsForbidden],
  errors: 'problem',
})

const openApi = {
  method: 'GET',
  tag: 'Operations',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'The OpenAPI document.') },
  errors: 'problem',
  cache: { seconds: 300 },
  conditional: true,
  compressed: true,
} as const

export const getOpenApi = endpoint({
  ...openApi,
  path: '/openapi.json',
  summary: 'Get this API as an OpenAPI 3.1.0 document',
  description:
    '`servers` lists every base URL of this service, the one that was asked first. What only administrators do is in `/openapi-admin.json`.',
})

export const getAdminOpenApi = endpoint({
  ...openApi,
  path: '/openapi-admin.json',
  summary: 'Get the API for administrators as an OpenAPI 3.1.0 document',
  description: 'The operations below `/api/v1/admin/`. Each needs the owner session of an administrator.',
})

export const getDocs = endpoint({
  method: 'GET',
  path: '/docs',
  tag: 'Operations',
  summary: 'Show the API reference',
  credential: 'none',
  replies: { 200: raw('text/html; charset=utf-8', 'The reference page.') },
  errors: 'problem',
  cache: { seconds: 300 },
  conditional: true,
  compressed: true,
})

export const problemNotFound = refusal('problem-not-found', 404, 'No error has this code.')

export const getProblem = endpoint({
  method: 'GET',
  path: '/problems/{code}',
  tag: 'Operations',
  summary: 'Explain an error code',
  credential: 'none',
  request: { params: z.object({ code: z.string().max(100) }) },
  replies: { 200: raw('text/html; charset=utf-8', 'A page that explains the code.') },
  refusals: [problemNotFound],
  errors: 'page',
  cache: { seconds: 300 },
})

/** Health, readiness, metrics and the OpenAPI document. */
export const platformOperations = {
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  getAdminOpenApi,
}

/** The API reference, and a page for every refusal code. */
export const platformPages = {
  getDocs,
  getProblem,
}
