import { wrap } from '@faremeter/fetch'
import { createPaymentHandler } from '@faremeter/payment-evm/exact'
import { createLocalWallet } from '@faremeter/wallet-evm'
import { base } from 'viem/chains'
import { usdcWallet } from '../service.mjs'
import { accessUrl, expectPaid } from './x402-client.mjs'

export async function run(service) {
  const { privateKey } = await usdcWallet(service)
  const handler = createPaymentHandler(await createLocalWallet(base, privateKey))
  const reply = await wrap(fetch, { handlers: [handler] })(accessUrl(service))
  expectPaid(await reply.json())
}
