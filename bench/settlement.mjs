import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { median } from './median.mjs'
import { startProgram } from './processes.mjs'
import { publishPost, sendJson } from './publish-post.mjs'
import { register } from './register.mjs'

// These are dependencies of the server's workspace, so they are resolved from there.
const requireFromServer = createRequire(new URL('../server/package.json', import.meta.url))
const { ExactEvmScheme } = requireFromServer('@x402/evm/exact/client')
const { x402Client } = requireFromServer('@x402/fetch')
const { generatePrivateKey, privateKeyToAccount } = requireFromServer('viem/accounts')
const { encodeFunctionData, parseAbi } = requireFromServer('viem/utils')

// Installed into a temporary folder for this comparison only.
const stockPackages = {
  '@hono/node-server': '2.1.6',
  '@x402/core': '2.27.0',
  '@x402/evm': '2.27.0',
  '@x402/hono': '2.27.0',
  hono: '4.13.17',
  viem: '2.57.1',
}
const warmUps = 5
const maxRatio = 1.3
const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Compares the time from a request with a payment to its reply: ours, that of x402's own server, and the bare chain call
 * (send the transaction, read its receipt). They take turns on one chain; each payment comes from a new wallet and is
 * signed beforehand.
 */
export async function compareSettlement({ origin }, payments) {
  const folder = installStockServer()
  let stock
  try {
    const { rpcUrl, usdc } = await (await fetch(`${origin}/dev/base`)).json()
    const callRpc = (method, ...params) => callChain(rpcUrl, method, params)
    const ours = await sellOurs(origin)
    const body = JSON.stringify({ contentMarkdown: 'Free', paidContentMarkdown: 'Paid' })
    const settings = { rpcUrl, payTo: ours.payTo, price: '$0.25', body, privateKey: await fundedKey(callRpc) }
    stock = await startProgram(pathToFileURL(join(folder, 'stock-x402.mjs')).href, settings)
    const bare = await bareCaller(callRpc, usdc)
    const wallets = await makeWallets(origin, warmUps + payments)
    const rounds = []
    for (const [index, wallet] of wallets.entries()) {
      const sides = [
        () => timePaid(ours.url, wallet, index),
        () => timePaid(`${stock.origin}/post`, wallet, index),
        () => bare(wallet, ours.payTo),
      ]
      // Rotate the order, so that each comes first equally often.
      const round = []
      for (let at = 0; at < sides.length; at += 1) {
        const side = (at + index) % sides.length
        round[side] = await sides[side]()
      }
      if (index >= warmUps) rounds.push(round)
    }
    return rows(rounds)
  } finally {
    await stock?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function rows(rounds) {
  const p50 = (of) => median(rounds.map(of))
  const text = (of) => `${p50(of).toFixed(1)} ms`
  const ratio = p50(([ours, theirs]) => ours / theirs)
  const over = ([ours, theirs, bare]) => [ours - bare, theirs - bare]
  return [
    {
      label: `a USDC payment, verified and settled, ${rounds.length} one after the other: p50`,
      ours: text(([ours]) => ours),
      reference: `${text(([, theirs]) => theirs)} (@x402/hono ${stockPackages['@x402/hono']}), ratio ${ratio.toFixed(2)}`,
      goal: `at most ${maxRatio} times theirs`,
      isMet: ratio <= maxRatio,
    },
    {
      label: 'the same without the bare chain call (send the transaction, read its receipt): p50',
      ours: text((round) => over(round)[0]),
      reference: `${text((round) => over(round)[1])}; the bare call ${text(([, , bare]) => bare)}`,
    },
  ]
}

function installStockServer() {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-x402-'))
  const manifest = { private: true, type: 'module', dependencies: stockPackages, overrides: { viem: '$viem' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  copyFileSync(fileURLToPath(new URL('./servers/stock-x402.mjs', import.meta.url)), join(folder, 'stock-x402.mjs'))
  console.log(`Installing @x402/hono ${stockPackages['@x402/hono']} into a temporary folder for comparison…`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--omit=optional'], { cwd: folder, stdio: 'pipe' })
  return folder
}

async function callChain(rpcUrl, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await reply.json()
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

async function fundedKey(callRpc) {
  const privateKey = generatePrivateKey()
  await callRpc('anvil_setBalance', privateKeyToAccount(privateKey).address, '0x3635c9adc5dea00000')
  return privateKey
}

/** Publishes a post for a quarter of a dollar through the API. */
async function sellOurs(origin) {
  const creator = await register(origin)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  await sendJson(origin, 'PUT', '/api/v1/profile/base-payout-address', creator.token, { payoutAddress: payTo })
  const id = await publishPost(origin, creator, {
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'Paid',
    enablePaywall: true,
    priceCurrency: 'USDC',
    priceAtomic: '250000',
  })
  return { url: `${origin}/api/posts/${id}/access`, payTo }
}

async function makeWallets(origin, count) {
  const wallets = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { address } of wallets) {
    const body = JSON.stringify({ to: address, amountAtomic: '1000000' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${origin}/dev/base/mint`, { method: 'POST', headers, body })
    if (!reply.ok) throw new Error(`minting failed: ${reply.status}`)
  }
  return wallets
}

const clientOf = (wallet) => new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
const jsonIn = (header) => JSON.parse(Buffer.from(header, 'base64').toString())

/** Milliseconds from the request with the payment to its reply. The offer is fetched and signed beforehand. */
async function timePaid(url, wallet, index) {
  const from = { 'x-forwarded-for': `10.9.${index >> 8}.${index & 255}` }
  const offered = await fetch(url, { headers: from })
  const required = jsonIn(offered.headers.get('payment-required'))
  await offered.arrayBuffer()
  const payment = await clientOf(wallet).createPaymentPayload(required)
  const signature = Buffer.from(JSON.stringify(payment)).toString('base64')
  const startedAt = performance.now()
  const reply = await fetch(url, { headers: { ...from, 'payment-signature': signature } })
  await reply.arrayBuffer()
  const milliseconds = performance.now() - startedAt
  if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${reply.headers.get('payment-required') ?? ''}`)
  return milliseconds
}

/** Sends the same transfer directly to the chain, signed beforehand. */
async function bareCaller(callRpc, usdc) {
  const account = privateKeyToAccount(await fundedKey(callRpc))
  let nonce = 0
  return async (wallet, payTo) => {
    const requirement = {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '250000',
      asset: usdc,
      payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2' },
    }
    const resource = { url: 'http://bench.test/', description: '', mimeType: 'application/json' }
    const required = { x402Version: 2, resource, accepts: [requirement] }
    const { payload } = await clientOf(wallet).createPaymentPayload(required)
    const { from, to, value, validAfter, validBefore, nonce: name } = payload.authorization
    const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), name, payload.signature]
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 8453,
      nonce: nonce++,
      to: usdc,
      gas: 200_000n,
      data: encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args }),
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 7n,
    })
    const startedAt = performance.now()
    const hash = await callRpc('eth_sendRawTransaction', raw)
    let receipt
    while (!receipt) receipt = await callRpc('eth_getTransactionReceipt', hash)
    const milliseconds = performance.now() - startedAt
    if (receipt.status !== '0x1') throw new Error('the bare call failed')
    return milliseconds
  }
}
