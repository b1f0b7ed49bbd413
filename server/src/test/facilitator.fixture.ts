import { createServer, type IncomingMessage } from 'node:http'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import pLimit from 'p-limit'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { faucet } from '../development/base-chain/chain-contents.ts'

// A third-party x402 facilitator in a separate process: the library's implementation, with one key and one transaction
// at a time. Every `lossy`-th settlement is made, but its response is lost.

const [rpcUrl, port, lossy] = process.argv.slice(2)
const account = privateKeyToAccount(faucet.privateKey)
const client = createWalletClient({ account, chain: base, transport: http(rpcUrl) }).extend(publicActions)
const oneAtATime = pLimit(1)
// biome-ignore lint/suspicious/noExplicitAny: the library's types are wider than viem's
const wallet = client as any
const inTurn =
  <T>(act: (input: unknown) => Promise<T>) =>
  (input: unknown): Promise<T> =>
    oneAtATime(() => act(input))
const scheme = new ExactEvmScheme(
  toFacilitatorEvmSigner({
    ...wallet,
    address: account.address,
    writeContract: inTurn(wallet.writeContract),
    sendTransaction: inTurn(wallet.sendTransaction),
  }),
)

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

let settled = 0
const server = createServer((request, response) => {
  const handle = async () => {
    const { paymentPayload, paymentRequirements } = JSON.parse(await readAll(request))
    const isSettling = request.url === '/settle'
    const found = await scheme[isSettling ? 'settle' : 'verify'](paymentPayload, paymentRequirements)
    settled += isSettling ? 1 : 0
    if (isSettling && settled % Number(lossy) === 0) request.socket.destroy()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  }
  handle().catch((error) => response.writeHead(500).end(String(error)))
})
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'))
process.on('disconnect', () => process.exit())
