// The checks after a round.
import { setTimeout as wait } from 'node:timers/promises'
import { readConfig } from '../../server/dist/config.js'
import { audit } from '../../server/dist/operator/audit.js'
import { createLog } from '../../server/dist/platform/log.js'
import { query } from '../postgres.mjs'
import { persist } from './buyers.mjs'

const quietMs = 300_000

const openPayments = `SELECT count(*)::int AS open FROM (
  SELECT FROM x402_payments WHERE state = 'settling'
  UNION ALL SELECT FROM jobs WHERE dead_at IS NULL AND name IN ('move-nano-address', 'settle-x402-payment', 'close-order')
    AND run_at < now() + interval '1 minute') waiting`

/** Waits until nothing is in progress. Returns what still is. */
export async function untilQuiet(url) {
  const end = Date.now() + quietMs
  for (;;) {
    const [{ open }] = await query(url, openPayments)
    if (open === 0 || Date.now() > end) return open
    await wait(1_000)
  }
}

/** Buyers whose wallets lost more or less than the price of what they received. */
export async function findOvercharged(network, buyers, funds) {
  const wrong = []
  for (const { wallet, bought } of buyers) {
    // What was sent twice has been sent back.
    await wallet.receives()
    const { balance } = await network.client.accountInfo(wallet.address)
    const owed = bought.reduce((sum, { amount }) => sum + amount, 0n)
    if (funds - balance !== owed)
      wrong.push({ address: wallet.address, spent: funds - balance, owed, times: bought.length })
  }
  return wrong
}

/** The same on Base. */
export async function findOverchargedUsdc(call, token, buyers, funds) {
  const wrong = []
  for (const { wallet, bought } of buyers) {
    const data = `0x70a08231${wallet.address.slice(2).toLowerCase().padStart(64, '0')}`
    const spent = funds - BigInt(await call('eth_call', { to: token, data }, 'latest'))
    const owed = bought.reduce((sum, { amount }) => sum + amount, 0n)
    if (spent !== owed) wrong.push({ address: wallet.address, spent, owed, times: bought.length })
  }
  return wrong
}

/** Lists what was acknowledged and is missing. */
export async function findLost(url, origin, kept) {
  const missing = async (table, ids) => {
    const rows = await query(url, `SELECT id::text FROM ${table} WHERE id = ANY($1::uuid[])`, [ids])
    return ids.length - rows.length
  }
  let images = 0
  for (const image of kept.images) {
    const reply = await fetch(origin + new URL(image).pathname)
    await reply.arrayBuffer()
    if (reply.status !== 200) images += 1
  }
  return { comments: await missing('comments', kept.comments), posts: await missing('posts', kept.posts), images }
}

/** Tries again if its first connection is to a server that has become a standby. */
export const auditCluster = async ({ settings }) =>
  (await persist(() => audit(readConfig(settings), createLog('silent')), AbortSignal.timeout(quietMs))).findings

export const deadJobs = async (url) =>
  query(
    url,
    'SELECT name, left(last_error, 100) AS error, count(*)::int FROM jobs WHERE dead_at IS NOT NULL GROUP BY 1, 2',
  )
