import { endpoint } from '@pennypost/contract/endpoint'
import { refusal } from '@pennypost/contract/refusal'
import { DateTime, queryInteger, Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { bind } from '../../server/dist/platform/http/serve.js'
import { createLog } from '../../server/dist/platform/log.js'
import { serveOperations } from './operations.mjs'

// A declared GET without a database: what remains is the cost of our HTTP layer.

const specimenNotFound = refusal('specimen-not-found', 404, 'No specimen has this id.')
const readSpecimen = endpoint({
  method: 'GET',
  path: '/api/v1/specimens/{id}',
  tag: 'Specimens',
  summary: 'Read a specimen',
  credential: 'none',
  request: {
    params: z.object({ id: Uuid }),
    query: z.object({ page: queryInteger({ min: 1, max: 100, default: 1 }) }),
  },
  replies: {
    200: z.object({
      id: z.string(),
      page: z.number(),
      title: z.string(),
      summary: z.string().nullable(),
      price: z.string().nullable(),
      isFree: z.boolean(),
      tags: z.array(z.string()),
      author: z.object({ handle: z.string(), name: z.string(), avatarUrl: z.string().nullable() }),
      readCount: z.number(),
      publishedAt: DateTime,
      updatedAt: DateTime.nullable(),
    }),
  },
  refusals: [specimenNotFound],
  errors: 'problem',
  cache: { seconds: 60 },
})

const handleSpecimen = async (_services, { params, query }) => ({
  status: 200,
  body: {
    id: params.id,
    page: query.page,
    title: 'On Sketching the Analytical Engine',
    summary: 'Notes by the translator, "longer" than the memoir itself.',
    price: '0.25',
    isFree: false,
    tags: ['engines', 'mathematics', 'notes'],
    author: { handle: 'ada_lovelace', name: 'Ada Lovelace', avatarUrl: null },
    readCount: 1843,
    publishedAt: '2026-01-12T09:30:00.000Z',
    updatedAt: null,
  },
})

await serveOperations(bind({ readSpecimen }, { readSpecimen: handleSpecimen }, {}), {}, createLog('info'))
