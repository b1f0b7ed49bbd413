import { serve } from '@hono/node-server'
import { x402Facilitator } from '@x402/core/facilitator'
import { x402ResourceServer } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

// x402's own server for hono with its own facilitator in the same process, set up as its documentation says. It runs from
// a temporary folder with these packages, which are not dependencies of ours.

const { rpcUrl, privateKey, payTo, price, body } = JSON.parse(process.argv[2])
const account = privateKeyToAccount(privateKey)
// Polls for receipts as often as we do; the default is once a second.
const transport = http(rpcUrl)
const client = createWalletClient({ account, chain: base, transport, pollingInterval: 10 }).extend(publicActions)
const signer = toFacilitatorEvmSigner({ ...client, address: account.address })
const facilitator = new x402Facilitator().register('eip155:8453', new FacilitatorScheme(signer))
const server = new x402ResourceServer({
  verify: (payload, requirements) => facilitator.verify(payload, requirements),
  settle: (payload, requirements) => facilitator.settle(payload, requirements),
  getSupported: async () => facilitator.getSupported(),
}).register('eip155:8453', new ServerScheme())
const accepts = { scheme: 'exact', network: 'eip155:8453', payTo, price, maxTimeoutSeconds: 300 }
const app = new Hono()
app.use(paymentMiddleware({ 'GET /post': { accepts, description: 'A post', mimeType: 'application/json' } }, server))
app.get('/post', (context) => context.json(JSON.parse(body)))

process.on('disconnect', () => process.exit())
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send({ origin: `http://127.0.0.1:${port}` }),
)
