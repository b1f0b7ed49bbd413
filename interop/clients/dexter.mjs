import { createEvmKeypairWallet, createX402Client } from '@dexterai/x402/client'
import { usdcWallet } from '../service.mjs'
import { accessUrl, expectPaid } from './x402-client.mjs'

export async function run(service) {
  const { privateKey } = await usdcWallet(service)
  const { rpcUrl } = await (await fetch(`${service.origin}/dev/base`)).json()
  const client = createX402Client({
    wallets: { evm: await createEvmKeypairWallet(privateKey) },
    preferredNetwork: 'eip155:8453',
    rpcUrls: { 'eip155:8453': rpcUrl },
  })
  expectPaid(await (await client.fetch(accessUrl(service))).json())
}
