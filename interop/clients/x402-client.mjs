import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { usdcWallet } from '../service.mjs'

/** The client that @x402's wrappers share, with a wallet and a limit. */
export async function payingClient(service) {
  const { privateKey } = await usdcWallet(service)
  return new x402Client()
    .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(privateKey)))
    .setSpendControls({ maxAmountPerPayment: '$0.50' })
}

export const accessUrl = ({ origin, usdcPost }) => `${origin}/api/posts/${usdcPost}/access`

export function expectPaid(post) {
  if (post?.paidContentMarkdown !== 'the paid part')
    throw new Error(`no paid part: ${JSON.stringify(post).slice(0, 150)}`)
}
