// node scripts/flow-files.mjs    lists the files that one purchase passes, from its request to the payout sent
//
// A file counts when one of its functions is called during the purchase, in a service that has sold before: what is
// opened once is open. Left out is what no purchase is about: talking to nodes, proof of work, exchange rates. Listed
// separately are the files of the signer, which is another process in large deployments, and what only jobs need that run
// afterwards and that nobody's money waits for.
import { Session } from 'node:inspector/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'
import { load, withTestDatabase } from './with-test-database.mjs'

const rooms = ['access', 'payments', 'rails']
// In development a node's URL is that of the embedded chain, which `open-base.ts` knows.
const transport =
  /^rails\/((circuit-breaker|failover|node-errors|post-json|rates)\.|nano\/(node|work)\/|base\/(rpc\/|open-base\.))/
// Watching an address is part of the purchase, although the file is among the transport.
const isCounted = (file) => !transport.test(file) || file.endsWith('address-watcher.ts')

const signer =
  /^(payments\/signing\/|rails\/nano\/custody\/(keyring|key-functions|sign-next-block)\.|rails\/base\/payment\/settler-account\.)/

const dist = join(root, 'server', 'dist')
await withTestDatabase(async (scope) => {
  await printFlow('Nano, with an account', await nanoPurchase(scope))
  await printFlow('x402 with USDC', await usdcPurchase(scope))
  await printFlow('x402 with Nano', await x402NanoPurchase(scope))
})

async function nanoPurchase(scope) {
  const { openMarket, price, quotes } = await load('payments/market.fixture.js')
  const market = await openMarket(scope)
  const { world } = market
  return {
    purchase: await withMoneyJobs(world, async () => {
      const { address } = await quotes(market.buyer, market.postId)
      await market.pays(address, price)
      await market.checkAddresses()
    }),
    afterwards: () => world.runJobs(),
  }
}

async function x402NanoPurchase(scope) {
  const { openMarket } = await load('payments/market.fixture.js')
  const { presents } = await load('access/x402/buying.fixture.js')
  const { order } = await load('access/x402/nano-orders.fixture.js')
  const market = await openMarket(scope)
  const stranger = market.world.stranger()
  return {
    purchase: await withMoneyJobs(market.world, async () => {
      const { accepted, payload } = await order(market, stranger)
      await presents(stranger, market.postId, accepted, payload)
      await market.later(10)
    }),
    afterwards: () => market.world.runJobs(),
  }
}

/** Runs a purchase in a world that leaves the jobs of `payments/finance` for later: they notify, and count for boards. */
async function withMoneyJobs(world, purchase) {
  const { jobs } = await load('rooms.js')
  const { runDueJobs } = await load('platform/jobs/run-job.js')
  const { notifyOfMoney } = await load('payments/finance/notify-of-money.job.js')
  const { checkOwnPayment } = await load('payments/finance/check-own-payment.job.js')
  const moneyJobs = jobs.filter((job) => job !== notifyOfMoney && job !== checkOwnPayment)
  return async () => {
    const { services, runJobs } = world
    world.runJobs = (hands) => runDueJobs({ ...services, services, jobs: moneyJobs }, hands)
    await purchase()
    world.runJobs = runJobs
  }
}

async function usdcPurchase(scope) {
  const { buys, openUsdcMarket } = await load('access/x402/usdc-market.fixture.js')
  const market = await openUsdcMarket(scope)
  await buys(market, market.world.stranger(), await market.fundedWallet())
  const wallet = await market.fundedWallet()
  // With the reply the author has the money: nothing is left to send.
  return {
    purchase: () => buys(market, market.world.stranger(), wallet),
    afterwards: () => market.world.runJobs(),
  }
}

/** Prints the files of a purchase that is prepared: only what it calls is counted. */
async function printFlow(name, { purchase, afterwards }) {
  const files = await filesOf(purchase)
  const own = files.filter((file) => !signer.test(file))
  const signing = files.filter((file) => signer.test(file))
  console.log(`\n${name}: ${own.length} files, and ${signing.length} of the signer\n`)
  for (const file of own) console.log(`  ${file}`)
  console.log(`\n  in the signer: ${signing.join(', ')}`)
  const further = (await filesOf(afterwards)).filter((file) => !files.includes(file))
  console.log(`  afterwards: ${further.join(', ')}`)
}

async function filesOf(act) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await act()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(isCalled))
    .map(({ url }) => relative(dist, fileURLToPath(url)).replaceAll(sep, '/').replace(/\.js$/, '.ts'))
    .filter((file) => rooms.includes(file.split('/')[0]) && !/\.(fixture|test)\.ts$/.test(file))
    .filter(isCounted)
    .sort()
}

/** The first function of a file is the module itself, which runs when it is imported. */
function isCalled({ functionName, ranges }, index) {
  return ranges[0].count > 0 && !(index === 0 && functionName === '')
}
