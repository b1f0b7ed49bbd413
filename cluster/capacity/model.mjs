// How many processors, gigabytes and euros a service of some size takes. The figures are measured: costs.json by `npm run load`,
// growth by `npm run test:slow -- growth` (docs/operations.md), the others by `npm run bench`.
import { readFileSync } from 'node:fs'

export const costs = JSON.parse(readFileSync(new URL('./costs.json', import.meta.url), 'utf8'))

const daySeconds = 86_400
/** The busiest minutes of a day, compared with its average. */
const peakFactor = 4
/** Beyond this, queues grow: simulate.mjs shows how fast. */
const targetShare = 0.5
/** What people do for each page of a post that they read: the shares of the load's mix, except for writing, which is rarer. */
const perView = {
  ...Object.fromEntries(
    Object.entries(costs.shares).map(([kind, share]) => [kind, share / costs.shares["a post's page"]]),
  ),
  'a comment': 1 / 200,
  'a reaction': 1 / 100,
}
/** What a cache in front of the service may keep for a few seconds. */
const cacheable = new Set(["a post's page", 'the home page', 'RSS', 'a list by API'])
/** Gigabytes of database for one of each. */
const gigabytes = { account: 1.1e-6, post: 23e-6, nanoSale: 13e-6, comment: 17e-6 }
/** A Nano sale takes two sends (author, commission) at 2^29 hashes each, and a receive at 2^23. */
const hashesPerSale = 2 * 2 ** 29 + 2 ** 23
const kilobytesPerView = 400
const mailsPerWorkerSecond = 194

/** The size of a service on a day. */
export const smallService = {
  viewsPerDay: 100_000,
  salesPerDay: 1_000,
  usdcShare: 0.2,
  postsPerDay: 100,
  accounts: 10_000,
  accountsPerDay: 100,
  cacheShare: 0,
}

export const timesAsLarge = (service, factor) =>
  Object.fromEntries(
    Object.entries(service).map(([name, value]) => [name, /Share$/.test(name) ? value : value * factor]),
  )

/** Requests and sales a second at the peak. */
export function peakOf({ viewsPerDay, salesPerDay, usdcShare, cacheShare }) {
  const views = (viewsPerDay / daySeconds) * peakFactor
  const sales = (salesPerDay / daySeconds) * peakFactor
  const requests = Object.fromEntries(
    Object.entries(perView).map(([kind, count]) => [kind, views * count * (cacheable.has(kind) ? 1 - cacheShare : 1)]),
  )
  return { views, requests, nanoSales: sales * (1 - usdcShare), usdcSales: sales * usdcShare, sales }
}

/** Cores that each part is busy with at the peak. */
export function busyCores(service) {
  const { requests, sales } = peakOf(service)
  const parts = Object.keys(costs.idle)
  return Object.fromEntries(
    parts.map((part) => {
      const ofRequests = Object.entries(requests).reduce(
        (sum, [kind, rate]) => sum + (rate * costs.requests[kind][part]) / 1_000,
        0,
      )
      return [part, costs.idle[part] + ofRequests + (sales * costs.sale[part]) / 1_000]
    }),
  )
}

/** What to run and rent for it. */
export function needsOf(service) {
  const busy = busyCores(service)
  const cores = (part, least) => Math.max(least, Math.ceil(busy[part] / targetShare))
  const { nanoSales, views } = peakOf(service)
  const year = 365
  const nanoPerDay = service.salesPerDay * (1 - service.usdcShare)
  const databaseGrowth =
    year *
    (service.postsPerDay * gigabytes.post +
      nanoPerDay * gigabytes.nanoSale +
      service.viewsPerDay * perView['a comment'] * gigabytes.comment +
      service.accountsPerDay * gigabytes.account)
  return {
    busy,
    // Two of each, so that one may fail.
    web: cores('web', 2),
    worker: cores('worker', 2),
    signer: cores('signer', 1),
    primary: cores('primary', 2),
    standby: cores('standby', 2),
    megahashes: (nanoSales * hashesPerSale) / 1e6,
    databaseGrowth,
    egressTerabytes: (service.viewsPerDay * 30 * kilobytesPerView) / 1e9,
    egressMegabits: (views * kilobytesPerView * 8) / 1_000,
    newsletterMinutes: service.accounts / mailsPerWorkerSecond / cores('worker', 2) / 60,
  }
}

/** Euros a month. Prices are of rented servers in Europe; a large cloud takes three to five times as much, and more for traffic. */
export const prices = { core: 8, databaseGigabyte: 0.1, terabyteOut: 2, gigahash: 60 }

export function costOf(needs) {
  const cores = needs.web + needs.worker + needs.signer + needs.primary + needs.standby
  const machines = cores * prices.core
  // On both machines, and the backups.
  const storage = 3 * needs.databaseGrowth * prices.databaseGigabyte
  const traffic = needs.egressTerabytes * prices.terabyteOut
  const work = Math.ceil(needs.megahashes / 1_000) * prices.gigahash
  return { machines, storage, traffic, work, total: machines + storage + traffic + work }
}

/** The visits of each kind of request, for the simulation. */
export const visitsOf = () =>
  Object.entries(perView).map(([kind, share]) => {
    const cost = costs.requests[kind]
    const atWeb = cost.web / 2
    return {
      kind,
      share,
      visits: [
        { station: 'web', mean: atWeb },
        { station: cost.standby > cost.primary ? 'standby' : 'primary', mean: cost.primary + cost.standby },
        { station: 'web', mean: atWeb },
      ],
    }
  })
