import { pageOfLines, totalsOfLines } from '../../server/dist/payments/finance/finance-list-store.js'
import { fillLines } from '../../server/dist/payments/finance/many-lines.fixture.js'
import { withClient } from '../postgres.mjs'
import { sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// For a quick run: `BENCH_MOVEMENTS=10000 npm run bench -- finance`.
const movements = Number(process.env.BENCH_MOVEMENTS ?? 1_000_000)
const maxPageMs = 20
const endOfLines = '9223372036854775807'

let creator

export default {
  name: 'finance',
  title: 'Finance',
  async routes({ origin, databaseUrl }) {
    creator = await register(origin)
    const payer = await register(origin)
    const postId = await createDraft(origin, creator)
    await withClient(databaseUrl, async (client) => {
      // Skip foreign-key checks: the rows that these refer to exist.
      await client.query('SET session_replication_role = replica')
      await fillLines(client, { payerId: payer.accountId, payeeId: creator.accountId, postId }, movements)
      await client.query('VACUUM ANALYZE')
    })
    const both = [creator.accountId, ['in', 'out'], ['XNO', 'USDC']]
    const received = [creator.accountId, ['in'], ['XNO', 'USDC']]
    const statements = (kinds) => [
      { text: totalsOfLines.text, values: [...kinds, endOfLines] },
      { text: pageOfLines.text, values: [...kinds, endOfLines, 21] },
    ]
    return [
      {
        label: `GET /api/v1/transactions of ${movements}`,
        request: request('/api/v1/transactions'),
        references: [{ kind: 'same-sql', statements: statements(both) }],
      },
      {
        label: `GET /api/v1/earnings of ${movements}`,
        request: request('/api/v1/earnings'),
        references: [{ kind: 'same-sql', statements: statements(received) }],
      },
    ]
  },
  async trials({ origin, loader }) {
    const { headers } = request('')
    const load = { url: `${origin}/api/v1/transactions?limit=50`, method: 'GET', headers, connections: 10 }
    const page = await loader.call({ ...load, perSecond: 50, seconds: 10 }, 30)
    return [
      {
        label: `50 of ${movements} movements with total and summary: p99 at 50 requests per second`,
        ours: `${page.p99.toFixed(1)} ms`,
        goal: `under ${maxPageMs} ms`,
        isMet: page.p99 < maxPageMs,
      },
    ]
  },
}

const request = (path) => ({ path, headers: { authorization: `Bearer ${creator.token}` } })

async function createDraft(origin, { key }) {
  return (await sendJson(origin, 'POST', '/api/v1/posts', key, { title: 'On engines' })).id
}
