// node rates.mjs PORT: what XNO and USDC are worth.
import { createServer } from 'node:http'

createServer((_request, reply) => {
  const at = new Date().toISOString()
  reply.setHeader('content-type', 'application/json')
  reply.end(JSON.stringify({ XNO: { usd: '1.25', at }, USDC: { usd: '1', at } }))
}).listen(Number(process.argv[2]), '127.0.0.1')
