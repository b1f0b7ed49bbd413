// A round: the cluster under mixed load while its parts fail. See scripts/chaos.mjs.
import { setTimeout as wait } from 'node:timers/promises'
import { mintUsdc } from '../../server/dist/development/base-chain/chain-contents.js'
import { until as untilTrue } from '../people.mjs'
import { createNanoBuyer, createUsdcBuyer, persist } from './buyers.mjs'
import { probe, readPages, writeThings } from './load.mjs'
import { hasEnough, sabotage } from './saboteur.mjs'
import { usdcToken } from './shop.mjs'
import { createTally } from './tally.mjs'
import { auditCluster, deadJobs, findLost, findOvercharged, findOverchargedUsdc, untilQuiet } from './verdict.mjs'

const buyersAtOnce = 40
/** One in this many wallets buys with USDC, and one in this many purchases is a guest's, with a link. */
const [usdcEvery, guestEvery] = [4, 5]
/** After the last fault, everyone must be served within this time. */
const patienceMs = 120_000

/** Runs until there were this many payments, kills and crashes, or the time is up. Returns what was seen. */
export async function runRound(cluster, shop, { payments, kills, crashes, minutes, readsPerSecond, seed, log }) {
  const began = Date.now()
  const { origin, postgres, parts } = cluster
  const { network, prices } = shop
  const [calm, over, patience] = [new AbortController(), new AbortController(), new AbortController()]
  const [buying, reading] = [createTally(), createTally()]
  const faults = []
  const kept = { comments: [], posts: [], images: [] }
  const buyers = { nano: [], usdc: [] }
  const takeoversBefore = postgres.takeovers.length
  let [started, paid, wallets] = [0, 0, 0]
  let failure
  const deadline = AbortSignal.timeout(minutes * 60_000)
  const isDone = () => failure || deadline.aborted || (started >= payments && hasEnough(faults, { kills, crashes }))
  const orFail = (task) =>
    task.catch((error) => {
      failure ??= error
    })

  const { writer, readers } = await shop.people()
  const shared = { origin, postIds: shop.all, kept, until: over.signal }
  const background = [
    readPages({ ...shared, perSecond: readsPerSecond, tally: reading }),
    writeThings({ ...shared, author: writer, readers }),
    probe({ origin, author: shop.author, faults, until: over.signal }),
  ]
  const sabotaging = orFail(sabotage(cluster, { seed, faults, paid: () => paid, log, until: calm.signal }))

  const funds = { nano: BigInt(shop.nano.length + 1) * prices.nano, usdc: BigInt(shop.usdc.length + 1) * prices.usdc }
  async function usdcBuyer() {
    const buyer = createUsdcBuyer({ origin, tally: buying })
    await persist(() => mintUsdc(parts.base.call, usdcToken, buyer.wallet.address, funds.usdc), patience.signal)
    return buyer
  }

  /** Wallets that buy each post once, one after the other. */
  const shopper = async () => {
    while (!isDone()) {
      wallets += 1
      const isUsdc = shop.usdc.length > 0 && wallets % usdcEvery === 0
      const buyer = isUsdc
        ? await usdcBuyer()
        : await createNanoBuyer({ origin, network, funds: funds.nano, tally: buying })
      ;(isUsdc ? buyers.usdc : buyers.nano).push(buyer)
      for (const [index, postId] of (isUsdc ? shop.usdc : shop.nano).entries()) {
        if (isDone()) break
        started += 1
        const asGuest = !isUsdc && index % guestEvery === 0
        const buy = asGuest ? buyer.buyAsGuest : buyer.buy
        if (await buy.call(buyer, postId, patience.signal)) paid += 1
        if (paid % 50 === 0)
          log(`${paid} payments, ${faults.length} faults, ${Math.round((Date.now() - began) / 1_000)} s`)
      }
    }
  }
  const shopping = orFail(Promise.all(Array.from({ length: buyersAtOnce }, shopper)))
  await untilTrue('the round is over', isDone, { withinMs: 2 * minutes * 60_000, everyMs: 250 })
  calm.abort()
  // Repairs everything first, or the reason of a failure could not be found.
  await sabotaging
  const calmAt = Date.now()
  const impatience = setTimeout(() => patience.abort(), patienceMs)
  await shopping
  clearTimeout(impatience)
  const servedAfter = (Date.now() - calmAt) / 1_000
  await wait(3_000)
  over.abort()
  const [, , outages] = await Promise.all(background)
  if (failure) throw failure
  log('everything runs again; looking at what is left')
  const url = postgres.primary().urlOf('pennypost')
  const stillOpen = await untilQuiet(url)
  const quietAfter = (Date.now() - calmAt) / 1_000
  const minutesTaken = (Date.now() - began) / 60_000
  return {
    minutes: minutesTaken,
    payments: { started, paid, wallets: buyers.nano.length, usdc: sum(buyers.usdc), nano: sum(buyers.nano) },
    faults: countBy(faults.map(({ what }) => what)),
    takeovers: postgres.takeovers.slice(takeoversBefore).map(({ seconds }) => seconds),
    buying: buying.all(),
    reading: reading.all(),
    writing: shop.takeWriting(),
    outages,
    servedAfter,
    quietAfter,
    written: { comments: kept.comments.length, posts: kept.posts.length, images: kept.images.length },
    stillOpen,
    unserved: started - paid,
    overcharged: [
      ...(await findOvercharged(network, buyers.nano, funds.nano)),
      ...(parts.base ? await findOverchargedUsdc(parts.base.call, usdcToken, buyers.usdc, funds.usdc) : []),
    ],
    lost: await findLost(url, origin, kept),
    deadJobs: await deadJobs(url),
    findings: await auditCluster(cluster),
  }
}

const sum = (buyers) => buyers.reduce((total, { bought }) => total + bought.length, 0)

const countBy = (names) => {
  const counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
