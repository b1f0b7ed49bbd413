// The cluster under mixed load while its parts die: see scripts/chaos.mjs.
import { setTimeout as wait } from 'node:timers/promises'
import { allSettings } from '../../server/dist/config.js'
import { mintUsdc } from '../../server/dist/development/base-chain/chain-contents.js'
import { createBaseWallet } from '../../server/dist/test/base-wallet.js'
import { openNanoNetwork, publish, register } from '../people.mjs'
import { createNanoBuyer, createTally, createUsdcBuyer, persist } from './buyers.mjs'
import { probe, readPages, writeThings } from './load.mjs'
import { sabotage } from './saboteur.mjs'
import { auditCluster, deadJobs, findLost, findOvercharged, untilQuiet } from './verdict.mjs'

const price = 10n ** 28n
const usdcPrice = 250_000n
const postCount = 20
const buyersAtOnce = 8
/** One in so many buys with USDC, and one in so many as a guest with a link. */
const [usdcEvery, guestEvery] = [20, 5]

/** Runs until there were so many payments, kills and crashes, or the time is up. Returns what was seen. */
export async function runChaos(cluster, { payments, kills, crashes, minutes, readsPerSecond, seed, log }) {
  const began = Date.now()
  const { origin, postgres, parts } = cluster
  const network = openNanoNetwork(parts.nano)
  const shop = await openShop(cluster, network)
  const readers = [await register(cluster, 'Bob'), await register(cluster, 'Eve')]
  const over = new AbortController()
  const saboteurDone = new AbortController()
  const until = over.signal
  const [buying, reading] = [createTally(), createTally()]
  const faults = []
  const buyers = { nano: [], usdc: [] }
  let paid = 0
  let started = 0
  const deadline = setTimeout(() => saboteurDone.abort(), minutes * 60_000)

  const background = [
    readPages({ origin, postIds: shop.all, perSecond: readsPerSecond, tally: reading, until }),
    writeThings({ origin, author: shop.author, readers, postIds: shop.all, until }),
    probe({ origin, author: shop.author, faults, until }),
  ]
  const saboteur = sabotage(cluster, { seed, kills, crashes, faults, until: saboteurDone.signal })

  /** Wallets that buy each post once, one after the other, until enough is paid. */
  const patience = new AbortController()
  const shopper = async () => {
    while (started < payments && !saboteurDone.signal.aborted) {
      const isUsdc = shop.usdc.length > 0 && buyers.nano.length % usdcEvery === usdcEvery - 1
      const buyer = isUsdc
        ? await usdcBuyer()
        : await createNanoBuyer({ origin, network, funds: funds(), tally: buying })
      ;(isUsdc ? buyers.usdc : buyers.nano).push(buyer)
      for (const [index, postId] of (isUsdc ? shop.usdc : shop.nano).entries()) {
        if (started >= payments || saboteurDone.signal.aborted) break
        started += 1
        const asGuest = !isUsdc && index % guestEvery === 0
        const isServed = await (asGuest
          ? buyer.buyAsGuest(postId, patience.signal)
          : buyer.buy(postId, patience.signal))
        if (isServed) paid += 1
        if (paid % 100 === 0)
          log(`${paid} payments, ${faults.length} faults, ${Math.round((Date.now() - began) / 1_000)} s`)
      }
    }
  }
  const funds = () => BigInt(postCount + 1) * price
  async function usdcBuyer() {
    const buyer = createUsdcBuyer({ origin, tally: buying })
    await persist(() =>
      mintUsdc(parts.base.call, allSettings.USDC_ADDRESS.default, buyer.wallet.address, 4n * usdcPrice),
    )
    return buyer
  }

  const shopping = Promise.all(Array.from({ length: buyersAtOnce }, shopper))
  // First everything is repaired, whatever happened: or nobody would see the reason.
  const [shopped, sabotaged] = await Promise.allSettled([shopping.finally(() => saboteurDone.abort()), saboteur])
  for (const { reason } of [shopped, sabotaged]) if (reason) throw reason
  clearTimeout(deadline)
  // A while without faults, in which everybody must be served.
  setTimeout(() => patience.abort(), 120_000).unref()
  await wait(3_000)
  over.abort()
  const [, kept, outages] = await Promise.all(background)
  log('everything runs again; looking at what is left')
  const url = postgres.primary().urlOf('pennypost')
  const stillOpen = await untilQuiet(url)
  const result = {
    minutes: (Date.now() - began) / 60_000,
    payments: { started, paid, nano: buyers.nano.length, usdc: buyers.usdc.length },
    faults: countBy(faults.map(({ what }) => what)),
    takeovers: postgres.takeovers.map(({ seconds }) => seconds),
    buying: buying.all(),
    reading: reading.all(),
    outages,
    written: { comments: kept.comments.length, posts: kept.posts.length, images: kept.images.length },
    stillOpen,
    unserved: started - paid,
    overcharged: await findOvercharged(network, buyers.nano, funds()),
    lost: await findLost(url, origin, kept),
    deadJobs: await deadJobs(url),
    findings: await auditCluster(cluster),
  }
  network.close()
  return result
}

const countBy = (names) => {
  const counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** An author with posts in Nano, and two in USDC if there is a chain. */
async function openShop(cluster, network) {
  const author = await register(cluster)
  await author.session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
  const nano = []
  for (let index = 0; index < postCount; index += 1)
    nano.push(await publish(author, { title: `On engines, part ${index}`, priceRaw: price }))
  const usdc = []
  if (cluster.parts.base) {
    await author.session.saveBasePayoutAddress({ body: { payoutAddress: createBaseWallet().address } })
    for (const title of ['One', 'Two']) usdc.push(await publish(author, { title, priceUsdc: usdcPrice }))
  }
  return { author, nano, usdc, all: [...nano, ...usdc] }
}
