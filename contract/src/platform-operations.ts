import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'

// What operators and machines ask the service about itself.

export const getHealth = endpoint({
  method: 'GET',
  path: '/healthz',
  tag: 'Operations',
  summary: 'Whether the process lives',
  credential: 'none',
  replies: { 200: z.object({ status: z.literal('ok') }) },
  errors: 'problem',
})

const Readiness = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    missing: z.array(z.string()).meta({ description: 'What must be there and is not.' }),
    degraded: z.array(z.string()).meta({ description: 'Optional dependencies that are away.' }),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof Readiness>

export const getReadiness = endpoint({
  method: 'GET',
  path: '/readyz',
  tag: 'Operations',
  summary: 'Whether the service is ready for work',
  credential: 'none',
  replies: { 200: Readiness, 503: Readiness },
  errors: 'problem',
})

export const getMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  tag: 'Operations',
  summary: 'Figures for Prometheus',
  credential: 'none',
  replies: { 200: raw('text/plain; version=0.0.4; charset=utf-8', 'Prometheus text.') },
  errors: 'problem',
})

export const getOpenApi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  tag: 'Operations',
  summary: 'This contract as OpenAPI 3.1.0',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'The OpenAPI document.') },
  errors: 'problem',
  cache: { seconds: 300 },
})

export const getDocs = endpoint({
  method: 'GET',
  path: '/docs',
  tag: 'Operations',
  summary: 'This contract as a page',
  credential: 'none',
  replies: { 200: raw('text/html; charset=utf-8', 'The reference page.') },
  errors: 'problem',
  cache: { seconds: 300 },
})

export const problemNotFound = refusal('problem-not-found', 404, 'No problem has this code.')

export const getProblem = endpoint({
  method: 'GET',
  path: '/problems/{code}',
  tag: 'Operations',
  summary: 'What a problem code means',
  credential: 'none',
  request: { params: z.object({ code: z.string().max(100) }) },
  replies: { 200: raw('text/html; charset=utf-8', 'A page that explains the code.') },
  refusals: [problemNotFound],
  errors: 'problem',
  cache: { seconds: 300 },
})

/** Health, readiness, metrics and the OpenAPI document. */
export const platformOperations = {
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
}

/** The API reference, and a page for every refusal code. */
export const platformPages = {
  getDocs,
  getProblem,
}
