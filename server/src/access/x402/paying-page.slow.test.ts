import { deepEqual, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hasAnvil } from '../../test/base-chain.ts'
import { folderFor } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { listen } from './listening.fixture.ts'
import { isClean, openUsdcMarket, sellsForUsdc, stranger, usdcPrice } from './usdc-market.fixture.ts'

// What docs/paying.md tells programs to do is done here, word for word.

const skip = !hasAnvil
const root = fileURLToPath(new URL('../../../..', import.meta.url))

async function programs(): Promise<string[]> {
  const page = await readFile(join(root, 'docs', 'paying.md'), 'utf8')
  return [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code!)
}

/** What a program prints, and what it complains of. */
const run = (code: string, env: Record<string, string>): Promise<{ printed: string; complains: string }> =>
  new Promise((resolve) => {
    const program = ['--input-type=module', '-e', code]
    execFile(process.execPath, program, { cwd: root, env, timeout: 60_000 }, (_, printed, complains) =>
      resolve({ printed, complains }),
    )
  })

async function openSite(t: TestContext) {
  const site = await listen(t)
  const market = await openUsdcMarket(t, { settings: site.settings })
  site.answersFor(market.world)
  const wallet = await market.fundedWallet()
  const env = { SITE: site.origin, POST_ID: market.postId, WALLET_KEY: wallet.privateKey }
  const left = () => market.balance(wallet.address)
  return { market, env, left }
}

test('the page has two programs', async () => equal((await programs()).length, 2))

test('with a limit: it pays what is within, and signs nothing above', { skip }, async (t) => {
  const { market, env, left } = await openSite(t)
  const [withLimit] = await programs()
  equal((await run(withLimit!, env)).printed, '200 the-secret-part\n')
  equal(await left(), 10_000_000n - usdcPrice)
  const dear = await sellsForUsdc(market.creator, { priceAtomic: '510000' })
  const { printed, complains } = await run(withLimit!, { ...env, POST_ID: dear })
  deepEqual([printed, await left()], ['', 10_000_000n - usdcPrice])
  match(complains, /maxAmountPerPayment|spend/i)
  await market.later(10)
  await isClean(market)
})

test('an answer that is lost: the same header is sent until the chain has spoken', { skip }, async (t) => {
  const { market, env, left } = await openSite(t)
  const { world, chain } = market
  const [, persistent] = await programs()
  const keepIn = join(await folderFor(t), 'signed')
  const faultyNode = await stranger(t, market, 300)
  faultyNode.always('eth_sendRawTransaction', 'drop-after')
  faultyNode.always('eth_getTransactionReceipt', 'drop')
  const running = run(persistent!, { ...env, KEEP_IN: keepIn })
  const sent = 'SELECT FROM usdc_transactions'
  await until('the payment is sent', async () => (await world.services.pool.query(sent)).rowCount !== 0)
  // The program repeats the payment while the node does not say what became of it.
  const looks = () => faultyNode.requests.filter((method) => method === 'eth_getTransactionReceipt').length
  await until('the service has looked twice', () => looks() > 1)
  faultyNode.heal()
  await world.advance(70)
  const { printed, complains } = await running
  equal(printed, '200 the-secret-part\n', complains)
  equal(await left(), 10_000_000n - usdcPrice)
  const kept = JSON.parse(Buffer.from(await readFile(keepIn, 'utf8'), 'base64').toString())
  equal(kept.accepted.network, 'eip155:8453')
  await chain.call('evm_mine')
  await world.runJobs()
  await market.later(70)
  await isClean(market)
})
