import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { suggestSearches } from '@pennypost/contract/search-suggestions'
import pg from 'pg'
import { openMarket, price, quotes } from '../../payments/market.fixture.ts'
import { recordBackupFailure } from '../../platform/backup/last-backup.ts'
import { systemClock } from '../../platform/clock.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { createWorld, type World } from '../../test/world.ts'
import { publishFigures } from './publish-figures.ts'

const scrape = async (world: World): Promise<string> => (await world.server.inject({ url: '/metrics' })).body

/** The value of a series, by its name with labels. */
function readSeries(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  ok(line, `${series} is not there`)
  return Number(line.slice(series.length + 1))
}

test('a sale is counted, and while its payout is under way the metrics have its age', async (t) => {
  // Figures are kept for ten seconds, so each scrape that is compared needs a world that has not read them yet.
  const market = await openMarket(t, { isolation: 'own' })
  const { world, buyer, postId } = market
  const before = world.services.clock.now()
  const { address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  await world.services.pool.query(
    `UPDATE payouts SET state = 'waiting', confirmed_at = NULL, block_hash = NULL, created_at = $1 WHERE role = 'creator'`,
    [new Date(before.getTime() - 5_000_000)],
  )
  await world.services.pool.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, dead_at) VALUES
       ('send-push', '{}', $1, 0, 5, NULL), ('send-push', '{}', $1, 5, 5, $1), ('screen-upload', '{}', '-infinity', 0, 5, NULL)`,
    [new Date(before.getTime() - 600_000)],
  )
  await recordBackupFailure(world.services.pool, new Date(1_000_000), 'the folder is gone')
  const text = await scrape(world)
  equal(readSeries(text, 'pennypost_figures_up'), 1)
  equal(readSeries(text, 'pennypost_sales_total{asset="XNO",kind="purchase"}'), 1)
  equal(readSeries(text, 'pennypost_sales_amount_total{asset="XNO"}'), 0.25)
  equal(readSeries(text, 'pennypost_nano_arrivals_total{use="order"}'), 1)
  equal(readSeries(text, 'pennypost_payouts_total{role="creator",outcome="confirmed"}'), 1)
  equal(readSeries(text, 'pennypost_payouts_open{state="waiting",role="creator"}'), 1)
  ok(Math.abs(readSeries(text, 'pennypost_payouts_open_xno{state="waiting",role="creator"}') - 0.2375) < 1e-9)
  ok(readSeries(text, 'pennypost_payouts_oldest_age_seconds{state="waiting",role="creator"}') >= 5_000)
  equal(readSeries(text, 'pennypost_payouts_oldest_age_seconds{state="blocked",role="refund"}'), 0)
  equal(readSeries(text, 'pennypost_jobs_dead'), 1)
  equal(readSeries(text, 'pennypost_jobs_waiting{name="send-push"}'), 1)
  ok(readSeries(text, 'pennypost_jobs_lag_seconds{name="send-push"}') >= 600)
  // A job that has to run first is due since ever, which is no age.
  equal(readSeries(text, 'pennypost_jobs_lag_seconds{name="screen-upload"}'), 0)
  ok(readSeries(text, 'pennypost_job_seconds_count{name="check-own-payment",outcome="done"}') >= 1)
  ok(readSeries(text, 'pennypost_call_seconds_count{target="nano-node",outcome="ok"}') >= 1)
  equal(readSeries(text, 'pennypost_database_connections_max{pool="main"}'), 20)
  equal(readSeries(text, 'pennypost_event_streams_open'), 0)
  equal(readSeries(text, 'pennypost_nano_signatures_total{outcome="refused"}'), 0)
  equal(readSeries(text, 'pennypost_last_backup_timestamp_seconds'), 0)
  equal(readSeries(text, 'pennypost_last_backup_failure_timestamp_seconds'), 1_000)
  equal(readSeries(text, 'pennypost_backup_interval_seconds'), 0)
  ok(readSeries(text, 'pennypost_migrations_applied') >= 80)
  match(text, /^pennypost_build_info\{version="\d+\.\d+\.\d+",node="\d+[^"]*"\} 1$/m)
  match(text, /^pennypost_nodejs_eventloop_lag_p99_seconds /m)
  match(text, /^pennypost_process_resident_memory_bytes /m)
  // Nothing of an account, an order or an address is a label, or the number of series would grow with them.
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of series) doesNotMatch(line, /[0-9a-f]{8}-[0-9a-f]{4}-|nano_[13]|0x[0-9a-f]{8}|@|[0-9A-F]{64}/, line)
  await world.services.pool.query(`DELETE FROM jobs WHERE name IN ('send-push', 'screen-upload')`)
})

test('what a rate limit refuses is counted by the name of the limit', async (t) => {
  const world = await createWorld(t, { settings: { LIMITS: 'search-suggestions=1/3600' } })
  const someone = world.stranger()
  const suggest = () => someone.calls(suggestSearches, { query: { q: 'ada' } })
  equal((await suggest()).status, 200)
  equal((await suggest()).status, 429)
  equal((await suggest()).status, 429)
  equal(readSeries(await scrape(world), 'pennypost_rate_limit_refusals_total{limit="search-suggestions"}'), 2)
})

/** What the figures need of it. */
const config = { gasBudgetWei: 10n ** 18n, backup: { everyMs: 6 * 3_600_000 } } as never

test('while the database is away or hangs, a scrape has everything else and no old figure', async (t) => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  for (const port of [(silent.address() as AddressInfo).port, 1]) {
    const pool = new pg.Pool({
      connectionString: `postgresql://x:y@127.0.0.1:${port}/z`,
      connectionTimeoutMillis: 3_000,
    })
    const metrics = createMetrics()
    publishFigures({ metrics, pool, clock: systemClock(), config }, 200)
    const text = await metrics.text()
    equal(readSeries(text, 'pennypost_figures_up'), 0)
    equal(readSeries(text, 'pennypost_gas_budget_eth'), 1)
    equal(readSeries(text, 'pennypost_backup_interval_seconds'), 21_600)
    ok(Number.isNaN(readSeries(text, 'pennypost_jobs_dead')))
    doesNotMatch(text, /^pennypost_payouts_open\{/m)
    match(text, /^pennypost_process_resident_memory_bytes /m)
    // The next scrape waits for the same attempt, or for its failure, and makes no second connection.
    await metrics.text()
    ok(pool.totalCount + pool.waitingCount <= 1)
    await pool.end()
  }
})

test('figures that a later read does not have are gone, and scrapers share a read', async (t) => {
  const world = await createWorld(t)
  const { pool, clock } = world.services
  const metrics = createMetrics()
  let reads = 0
  const counted = new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') reads += 1
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  publishFigures({ metrics, pool: counted, clock, config })
  const all = await Promise.all([metrics.text(), metrics.text(), metrics.text()])
  await metrics.text()
  equal(reads, 1)
  for (const text of all) equal(readSeries(text, 'pennypost_jobs_dead'), 0)
  deepEqual(all[0]!.match(/^pennypost_jobs_waiting\{/gm), null)
})
