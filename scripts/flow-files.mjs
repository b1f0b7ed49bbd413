// node scripts/flow-files.mjs    lists the files that one purchase passes, from its request to the payout sent
//
// A file counts when one of its functions is called during the purchase, in a service that has sold before: what is
// opened once is open. Left out is what no purchase is about: talking to nodes, proof of work, exchange rates.
import { Session } from 'node:inspector/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'
import { load, withTestDatabase } from './with-test-database.mjs'

const rooms = ['access', 'payments', 'rails']
// In development a node's URL is that of the embedded chain, which `open-base.ts` knows.
const transport =
  /^rails\/((circuit-breaker|failover|node-errors|post-json|rates)\.|nano\/(node|work)\/|base\/(rpc\/|open-base\.))/
// Watching an address is no transport, although it is beside it.
const isCounted = (file) => !transport.test(file) || file.endsWith('address-watcher.ts')

const dist = join(root, 'server', 'dist')
await withTestDatabase(async (scope) => {
  await printFlow('Nano, with an account', await nanoPurchase(scope))
  await printFlow('x402 with USDC', await usdcPurchase(scope))
  await printFlow('x402 with Nano', await x402NanoPurchase(scope))
})

async function nanoPurchase(scope) {
  const { openMarket, price, quotes } = await load('payments/market.fixture.js')
  const market = await openMarket(scope)
  return async () => {
    const { address } = await quotes(market.buyer, market.postId)
    await market.pays(address, price)
    await market.checkAddresses()
  }
}

async function x402NanoPurchase(scope) {
  const { openMarket } = await load('payments/market.fixture.js')
  const { presents } = await load('access/x402/buying.fixture.js')
  const { order } = await load('access/x402/nano-orders.fixture.js')
  const market = await openMarket(scope)
  const stranger = market.world.stranger()
  return async () => {
    const { accepted, payload } = await order(market, stranger)
    await presents(stranger, market.postId, accepted, payload)
    await market.later(10)
  }
}

async function usdcPurchase(scope) {
  const { buys, openUsdcMarket } = await load('access/x402/usdc-market.fixture.js')
  const market = await openUsdcMarket(scope)
  await buys(market, market.world.stranger(), await market.fundedWallet())
  const wallet = await market.fundedWallet()
  // With the reply the author has the money: nothing is left to send.
  return () => buys(market, market.world.stranger(), wallet)
}

/** @param purchase is prepared: only what it calls is counted. */
async function printFlow(name, purchase) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await purchase()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const files = result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(isCalled))
    .map(({ url }) => relative(dist, fileURLToPath(url)).replaceAll(sep, '/').replace(/\.js$/, '.ts'))
    .filter((file) => rooms.includes(file.split('/')[0]) && !/\.(fixture|test)\.ts$/.test(file))
    .sort()
  const counted = files.filter(isCounted)
  console.log(`\n${name}: ${counted.length} files\n`)
  for (const file of counted) console.log(`  ${file}`)
}

/** The first function of a file is the module itself, which runs when it is imported. */
function isCalled({ functionName, ranges }, index) {
  return ranges[0].count > 0 && !(index === 0 && functionName === '')
}
