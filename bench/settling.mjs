import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startProgram } from './processes.mjs'
import { register } from './register.mjs'

// As the server finds them: they are dependencies of that workspace.
const ofServer = createRequire(new URL('../server/package.json', import.meta.url))
const { ExactEvmScheme } = ofServer('@x402/evm/exact/client')
const { x402Client } = ofServer('@x402/fetch')
const { generatePrivateKey, privateKeyToAccount } = ofServer('viem/accounts')
const { encodeFunctionData, parseAbi } = ofServer('viem/utils')

// Installed aside for this measurement, and gone after it: nobody else needs them.
const rival = {
  '@hono/node-server': '2.1.6',
  '@x402/core': '2.27.0',
  '@x402/evm': '2.27.0',
  '@x402/hono': '2.27.0',
  hono: '4.13.17',
  viem: '2.57.1',
}
const warmUps = 5
const mostOfTheirs = 1.3
const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * From the paid request to its answer: ours, that of x402's own server, and the chain's alone, which is one transaction
 * sent and its receipt read. In turns, on one chain, each payment by a new wallet that has signed before.
 */
export async function compareSettling({ origin }, payments) {
  const folder = installAside()
  let stock
  try {
    const { rpcUrl, usdc } = await (await fetch(`${origin}/dev/base`)).json()
    const ask = (method, ...params) => askChain(rpcUrl, method, params)
    const ours = await sellOurs(origin)
    const body = JSON.stringify({ contentMarkdown: 'Free', paidContentMarkdown: 'Paid' })
    const settings = { rpcUrl, payTo: ours.payTo, price: '$0.25', body, privateKey: await fundedKey(ask) }
    stock = await startProgram(pathToFileURL(join(folder, 'stock-x402.mjs')).href, settings)
    const bare = await bareCaller(ask, usdc)
    const wallets = await makeWallets(origin, warmUps + payments)
    const rounds = []
    for (const [index, wallet] of wallets.entries()) {
      const sides = [
        () => timePaid(ours.url, wallet, index),
        () => timePaid(`${stock.origin}/post`, wallet, index),
        () => bare(wallet, ours.payTo),
      ]
      // Each comes first as often as the others.
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
      label: `a payment in USDC, verified and settled, ${rounds.length} in turn: p50`,
      ours: text(([ours]) => ours),
      reference: `${text(([, theirs]) => theirs)} (@x402/hono ${rival['@x402/hono']}), ratio ${ratio.toFixed(2)}`,
      wanted: `at most ${mostOfTheirs} of their time`,
      isMet: ratio <= mostOfTheirs,
    },
    {
      label: 'the same over the bare chain call (sent, and its receipt read): p50',
      ours: text((round) => over(round)[0]),
      reference: `${text((round) => over(round)[1])}; the bare call ${text(([, , bare]) => bare)}`,
    },
  ]
}

function installAside() {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-x402-'))
  const wish = { private: true, type: 'module', dependencies: rival, overrides: { viem: '$viem' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(wish))
  copyFileSync(fileURLToPath(new URL('./servers/stock-x402.mjs', import.meta.url)), join(folder, 'stock-x402.mjs'))
  console.log(`Installing @x402/hono ${rival['@x402/hono']} into a temporary folder, to compare with…`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--omit=optional'], { cwd: folder, stdio: 'pipe' })
  return folder
}

async function askChain(rpcUrl, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await reply.json()
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

async function fundedKey(ask) {
  const privateKey = generatePrivateKey()
  await ask('anvil_setBalance', privateKeyToAccount(privateKey).address, '0x3635c9adc5dea00000')
  return privateKey
}

/** A Post for a quarter of a dollar, published as anybody would. */
async function sellOurs(origin) {
  const creator = await register(origin)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const call = async (method, path, body, token) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const reply = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
  await call('PUT', '/api/v1/profile/base-payout-address', { payoutAddress: payTo }, creator.token)
  const { id } = await call(
    'POST',
    '/api/v1/posts',
    {
      title: 'On engines',
      freeContentMarkdown: 'Free',
      paidContentMarkdown: 'Paid',
      enablePaywall: true,
      priceCurrency: 'USDC',
      priceAtomic: '250000',
      category: 'technology',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
    },
    creator.key,
  )
  await call('POST', `/api/v1/posts/${id}/publish`, {}, creator.key)
  return { url: `${origin}/api/posts/${id}/access`, payTo }
}

async function makeWallets(origin, count) {
  const wallets = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { address } of wallets) {
    const body = JSON.stringify({ to: address, amountAtomic: '1000000' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${origin}/dev/base/mint`, { method: 'POST', headers, body })
    if (!reply.ok) throw new Error(`no money: ${reply.status}`)
  }
  return wallets
}

const clientOf = (wallet) => new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
const jsonIn = (header) => JSON.parse(Buffer.from(header, 'base64').toString())

/** Milliseconds from the paid request to its answer. Asked and signed before. */
async function timePaid(url, wallet, index) {
  const from = { 'x-forwarded-for': `10.9.${index >> 8}.${index & 255}` }
  const quoted = await fetch(url, { headers: from })
  const required = jsonIn(quoted.headers.get('payment-required'))
  await quoted.arrayBuffer()
  const payment = await clientOf(wallet).createPaymentPayload(required)
  const signature = Buffer.from(JSON.stringify(payment)).toString('base64')
  const begun = performance.now()
  const reply = await fetch(url, { headers: { ...from, 'payment-signature': signature } })
  await reply.arrayBuffer()
  const milliseconds = performance.now() - begun
  if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${reply.headers.get('payment-required') ?? ''}`)
  return milliseconds
}

/** The same transfer, sent by somebody who has it signed already. */
async function bareCaller(ask, usdc) {
  const account = privateKeyToAccount(await fundedKey(ask))
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
    const begun = performance.now()
    const hash = await ask('eth_sendRawTransaction', raw)
    let receipt
    while (!receipt) receipt = await ask('eth_getTransactionReceipt', hash)
    const milliseconds = performance.now() - begun
    if (receipt.status !== '0x1') throw new Error('the bare call failed')
    return milliseconds
  }
}

const median = (figures) => figures.toSorted((left, right) => left - right)[figures.length >> 1]
