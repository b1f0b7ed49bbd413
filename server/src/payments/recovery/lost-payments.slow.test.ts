import { deepEqual, equal, match } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderFor } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import type { World } from '../../test/world.ts'
import type { PaymentRow } from '../x402/payment-store.ts'
import { journalPayment, journalTransaction } from './journal-record.ts'
import { forgetsJobs, notesPayment, paymentFor } from './lost-payment.fixture.ts'
import { lostRecords, recover } from './recover.ts'
import { recoverRecord } from './recover-record.ts'
import { openShop, ordersOf, pays } from './restore.fixture.ts'
import { readSetAsides, waitingIn } from './set-aside.ts'
import { watchForLoss } from './watch-for-loss.ts'

const everyMs = 20

const transactionOf = (nonce: number, replaces?: string) => ({
  hash: `0x${randomUUID().replaceAll('-', '').padStart(64, '0')}`,
  signer: '0xab',
  nonce,
  raw: '0x02' as const,
  ...(replaces !== undefined && { replaces }),
})

/** A journal that is read before all others. */
const journalBefore = ({ services }: World, records: readonly object[]) =>
  writeFile(
    join(services.config.dataDir, 'journal', '2000-01-01-0.jsonl'),
    records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  )

const nothing = { address: null, order: null, payment: null }

const hashesIn = async ({ services }: World): Promise<string[]> =>
  (await services.pool.query('SELECT hash FROM usdc_transactions ORDER BY signed_at')).rows.map(({ hash }) => hash)

test('transactions are recovered after their payments, and replacements after what they replace, in whichever journal they are', async (t) => {
  const shop = await openShop(t, 1)
  const first = transactionOf(1)
  const second = transactionOf(1, first.hash)
  await shop.afterBackup(async (world) => {
    const { id: payment_id } = await notesPayment(shop, world)
    await journalBefore(world, [
      { ...nothing, transaction: { payment_id, ...second } },
      { ...nothing, transaction: { payment_id, ...first } },
    ])
  })
  await shop.afterRestore(async (world) => {
    deepEqual((await recover(world.services)).unrecoverable, [])
    deepEqual((await hashesIn(world)).sort(), [first.hash, second.hash].sort())
    deepEqual(waitingIn(await readSetAsides(world.services)), [])
    await forgetsJobs(world)
  })
})

test('a transaction whose original is lost stops no recovery, and its nonce is taken', async (t) => {
  const shop = await openShop(t, 1)
  const replacement = transactionOf(1, `0x${'f'.repeat(64)}`)
  await shop.afterBackup(async (world) => {
    const { id: payment_id } = await notesPayment(shop, world)
    await journalTransaction(world.services, payment_id, replacement)
  })
  await shop.afterRestore(async (world) => {
    deepEqual((await recover(world.services)).unrecoverable, [])
    deepEqual(await hashesIn(world), [replacement.hash])
    await forgetsJobs(world)
  })
})

test('a transaction whose payment another process recovers later needs no person', async (t) => {
  const shop = await openShop(t, 1)
  const [settlers, transaction] = [await folderFor(t), transactionOf(1)]
  let payment_id = ''
  await shop.afterBackup(async (world) => {
    payment_id = (await notesPayment(shop, world)).id
  })
  await shop.afterBackup((world) => journalTransaction(world.services, payment_id, transaction), { DATA_DIR: settlers })
  await shop.afterRestore(
    async (world) => {
      const countWaiting = async () => waitingIn(await readSetAsides(world.services)).length
      const watcher = watchForLoss(world.services, { everyMs })
      await until('it waits', async () => (await countWaiting()) === 1)
      await shop.afterRestore(async (other) => {
        for await (const record of lostRecords(other.services)) await recoverRecord(other.services, record)
        await forgetsJobs(other)
      })
      await until('it is over', async () => (await countWaiting()) === 0)
      await watcher.stop()
      deepEqual(await hashesIn(world), [transaction.hash])
    },
    { DATA_DIR: settlers },
  )
})

test('two processes recover the same at the same time', async (t) => {
  const shop = await openShop(t, 3)
  await shop.afterBackup(async (world) => {
    await pays(shop, await ordersOf(shop, world, shop.buyers))
  })
  await shop.afterRestore(async ({ services }) => {
    const found = await Promise.all([recover(services), recover(services), recover(services)])
    equal(
      found.reduce((sum, { recovered }) => sum + recovered, 0),
      3,
    )
    deepEqual(
      found.flatMap(({ unrecoverable }) => unrecoverable),
      [],
    )
  })
})

test('a USDC payment is asked about until its outcome is known, also if no node was there at the recovery', async (t) => {
  const shop = await openShop(t, 1)
  const anHourAgo = String(Math.floor(Date.now() / 1000) - 3_600)
  const dayMs = 86_400_000
  await shop.afterBackup(async ({ services }) => {
    const { rows } = await services.pool.query('SELECT account_id FROM posts WHERE id = $1', [shop.postId])
    await journalPayment(services, {
      ...paymentFor(shop.postId, '', '0xab'),
      payee_id: rows[0].account_id,
      order_id: null,
      network: 'eip155:8453',
      valid_before: anHourAgo,
      created_at: new Date(Date.now() - 30 * dayMs),
    } as PaymentRow)
  })
  await shop.afterRestore(async (world) => {
    const { clock, pool } = world.services
    const minutesToNext = async () => {
      const { rows } = await pool.query("SELECT run_at FROM jobs WHERE name = 'settle-x402-payment'")
      return rows.map(({ run_at }) => Math.round((run_at - clock.now().getTime()) / 60_000))
    }
    await recover(world.services)
    deepEqual(await minutesToNext(), [5])
    // This service has no Base node, so no outcome is known.
    await world.advance(600)
    await world.runJobs()
    // An old payment is asked about once a day.
    deepEqual(await minutesToNext(), [dayMs / 60_000])
    await forgetsJobs(world)
  })
})

test('a record that the database refuses needs a person, and stops no recovery', async (t) => {
  const shop = await openShop(t, 2)
  await shop.afterBackup(async (world) => {
    const [address] = await ordersOf(shop, world, shop.buyers.slice(0, 1))
    const { rows } = await world.services.pool.query('SELECT id FROM orders')
    await journalPayment(world.services, paymentFor(shop.postId, rows[0].id, address!))
    await ordersOf(shop, world, shop.buyers.slice(1))
  })
  await shop.afterRestore(async ({ services }) => {
    const { recovered, unrecoverable } = await recover(services)
    equal(recovered, 2)
    match(unrecoverable.join(), /^the database refuses it: [^,]*foreign key[^,]*$/)
  })
})

test('a payment in whose place the database has another needs a person', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    const payment = await notesPayment(shop, world)
    // With the same nonce.
    await journalPayment(world.services, { ...payment, id: randomUUID() })
  })
  await shop.afterRestore(async (world) => {
    const { unrecoverable } = await recover(world.services)
    match(unrecoverable.join(), /^the database has something else in the place of purchase [^,]*, payment [^,]*$/)
    equal(waitingIn(await readSetAsides(world.services)).length, 1)
    await forgetsJobs(world)
  })
})
