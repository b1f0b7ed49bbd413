import { pageOfLines, totalsOfLines } from '../../server/dist/payments/finance/finance-list-store.js'
import { fillLines } from '../../server/dist/payments/finance/many-lines.fixture.js'
import { withClient } from '../postgres.mjs'
import { register } from '../register.mjs'

// `BENCH_MOVEMENTS=10000 npm run bench -- finance` is a quick look.
const movements = Number(process.env.BENCH_MOVEMENTS ?? 1_000_000)
const longestPageMs = 20
const endOfLines = '9223372036854775807'

let creator

export default {
  name: 'finance',
  title: 'Finance',
  async routes({ origin, databaseUrl }) {
    creator = await register(origin)
    const payer = await register(origin)
    const postId = await draft(origin, creator)
    await withClient(databaseUrl, async (client) => {
      // What a million rows refer to is known to be there.
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
    const ask = { url: `${origin}/api/v1/transactions?limit=50`, method: 'GET', headers, connections: 10 }
    const page = await loader.ask({ ...ask, perSecond: 50, seconds: 10 }, 30)
    return [
      {
        label: `50 of ${movements} movements with total and summary: p99 at 50 requests a second`,
        ours: `${page.p99.toFixed(1)} ms`,
        wanted: `under ${longestPageMs} ms`,
        isMet: page.p99 < longestPageMs,
      },
    ]
  },
}

const request = (path) => ({ path, headers: { authorization: `Bearer ${creator.token}` } })

async function draft(origin, { key }) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const reply = await fetch(`${origin}/api/v1/posts`, { method: 'POST', headers, body: '{"title":"On engines"}' })
  if (!reply.ok) throw new Error(await reply.text())
  return (await reply.json()).id
}
