import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { auditLost } from '../../payments/audit/audit-lost.ts'
import { recover } from '../../payments/recovery/recover.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { folderFor } from '../../test/service-process.ts'
import { cloneTestDatabase, copyTestDatabase } from '../../test/test-database.ts'
import type { OpenWorldOptions } from '../../test/world.ts'
import { presents } from './buying.fixture.ts'
import { buys, isClean, openUsdcMarket, type UsdcMarket } from './usdc-market.fixture.ts'

test('USDC that was paid after the backup buys again, and the transaction is known', { skip: !hasAnvil }, async (t) => {
  const database = await cloneTestDatabase()
  const settings = { DATA_DIR: await folderFor(t) }
  const opened = async (use: (market: UsdcMarket) => Promise<void>, options: OpenWorldOptions) => {
    const closers: (() => unknown)[] = []
    const scope = { after: (close: () => unknown) => void closers.push(close) } as unknown as TestContext
    const market = await openUsdcMarket(scope, { ...options, settings })
    try {
      await use(market)
    } finally {
      for (const close of closers) await close()
    }
  }
  let postId = ''
  await opened(
    async (market) => {
      postId = market.postId
    },
    { databaseUrl: database.url },
  )
  const backup = await copyTestDatabase(database.url)
  t.after(() => backup.drop())
  const live = await openUsdcMarket(t, { databaseUrl: database.url, settings })
  t.after(() => database.drop())
  const { accepted, payload } = await buys(live, live.world.stranger(), await live.fundedWallet(), postId)
  await opened(
    async (market) => {
      const { services } = market.world
      equal((await auditLost(services)).length, 2)
      const { recovered, unrecoverable } = await recover(services)
      deepEqual({ recovered, unrecoverable }, { recovered: 1, unrecoverable: [] })
      equal((await presents(market.world.stranger(), postId, accepted, payload)).status, 200)
      deepEqual(await auditLost(services), [])
      await isClean(market)
    },
    // The same chain goes on.
    { databaseUrl: backup.url, services: { base: live.world.services.base! } },
  )
})
