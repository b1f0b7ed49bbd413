import { createServer } from 'node:http'
import { genesisHashes } from '../../nano/dist/genesis.js'
import { keyOfHash, lastHashOf } from '../audit-data.mjs'

// A Nano node that has every sale of audit-data.mjs as the books say: each address received once, sent twice and is empty.

const none = { balance: '0', pending: '0', receivable: '0' }
const blockOf = (hash) => ({
  block_account: keyOfHash(hash),
  amount: '1',
  balance: '0',
  height: '3',
  confirmed: 'true',
  contents: { type: 'receive' },
})
const replies = {
  version: () => ({ network: 'dev', network_identifier: genesisHashes.dev }),
  block_count: () => ({ count: '1', cemented: '1' }),
  accounts_balances: ({ accounts }) => ({ balances: Object.fromEntries(accounts.map((account) => [account, none])) }),
  accounts_frontiers: ({ accounts }) => ({
    frontiers: Object.fromEntries(
      accounts.flatMap((account) => (lastHashOf(account) ? [[account, lastHashOf(account)]] : [])),
    ),
  }),
  blocks_info: ({ hashes }) => ({ blocks: Object.fromEntries(hashes.map((hash) => [hash, blockOf(hash)])) }),
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  const asked = JSON.parse(text)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(replies[asked.action]?.(asked) ?? { error: 'Unknown command' }))
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
