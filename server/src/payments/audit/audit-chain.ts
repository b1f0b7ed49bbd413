import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { NodeClient } from '../../rails/nano/node/node-client.ts'
import { everything, type Scope } from './audit-scope.ts'
import type { Finding } from './run-checks.ts'

interface AuditedAddress {
  readonly address: string
  readonly least_raw: string
  /** According to the books. */
  readonly held: string
}

interface SignedBlock {
  readonly hash: string
  readonly height: number
  readonly amount: string
  readonly is_send: boolean
  readonly confirmed: boolean
}

export interface ChainAudit {
  readonly findings: Finding[]
  /** Money on the chain that is not in the books yet. */
  readonly underWay: string[]
  readonly addresses: number
}

const pageSize = 500
const concurrency = 8
const secondLookMs = 250

/**
 * Checks that our addresses hold what the books say: confirmed balance and receivables, to the last raw. A block
 * of ours that was confirmed a moment ago, or an arrival that is not noted yet, explains a difference; nothing else does.
 * Addresses at rest are compared hundreds at a time; only the others are looked at one by one.
 */
export async function auditChain(db: Db, client: NodeClient, scope: Scope = everything): Promise<ChainAudit> {
  const findings: Finding[] = []
  const underWay: string[] = []
  let addresses = 0
  for (let after = '0'; ; ) {
    const page = await listAddresses(db, scope, after)
    const last = page.at(-1)
    if (!last) return { findings, underWay, addresses }
    after = last.id
    addresses += page.length
    const waiting = await listMoving(client, page)
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const seen = await auditAddress(db, client, next.id)
        findings.push(...seen.findings)
        underWay.push(...seen.underWay)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  }
}

interface ListedAddress {
  readonly id: string
  readonly address: string
  /** According to the books. */
  readonly held: string
  /** The last block that we signed. */
  readonly hash: string | null
  readonly balance: string | null
  readonly confirmed: boolean | null
}

async function listAddresses(db: Db, scope: Scope, after: string): Promise<ListedAddress[]> {
  const { rows } = await sql<ListedAddress>`
    SELECT address.id::text AS id, address.address, last.hash, last.balance::text AS balance, last.confirmed,
      coalesce((SELECT sum(amount) FROM ledger_entries
        WHERE account_kind = 'chain' AND account_ref = address.address), 0)::text AS held
    FROM nano_addresses address LEFT JOIN LATERAL (
      SELECT hash, balance, confirmed_at IS NOT NULL AS confirmed FROM nano_blocks block
      WHERE block.address_id = address.id AND block.refused_at IS NULL ORDER BY block.height DESC LIMIT 1) last ON true
    WHERE address.id IN (${sql.raw(scope.addresses)}) AND address.id > ${after}
    ORDER BY address.id LIMIT ${pageSize}`.execute(db)
  return rows
}

/** The addresses that are not exactly as the books say: something is wrong, under way, or dust came. */
async function listMoving(client: NodeClient, page: readonly ListedAddress[]): Promise<ListedAddress[]> {
  const accounts = page.map(({ address }) => address)
  const [balances, frontiers, blocks] = await Promise.all([
    client.balancesOfMany(accounts),
    client.frontiersOfMany(accounts),
    client.blocksInfo(page.flatMap(({ hash }) => hash ?? [])),
  ])
  return page.filter(({ address, held, hash, balance, confirmed }) => {
    const there = balances.get(address)!
    if (there.balance + there.receivable !== BigInt(held) || frontiers.get(address) !== (hash ?? undefined)) return true
    return hash !== null && !(confirmed && blocks.get(hash)?.isConfirmed && there.balance === BigInt(balance!))
  })
}

type SeenAddress = Pick<ChainAudit, 'findings' | 'underWay'>

/** Books and chain are read one after the other, while money moves: a finding counts only if a second look finds it too. */
async function auditAddress(db: Db, client: NodeClient, id: string): Promise<SeenAddress> {
  const seen = await lookAt(db, client, id)
  if (seen.findings.length === 0) return seen
  await wait(secondLookMs)
  return lookAt(db, client, id)
}

async function lookAt(db: Db, client: NodeClient, id: string): Promise<SeenAddress> {
  const { address, least_raw, held } = await findAudited(db, id)
  const findings: Finding[] = []
  const underWay: string[] = []
  const blocks = await listBlocks(db, id)
  const arrivals = await sql<{ hash: string }>`SELECT hash FROM nano_arrivals WHERE address_id = ${id}`.execute(db)
  const known = new Set(arrivals.rows.map(({ hash }) => hash))
  const info = await client.accountInfo(address)
  const receivable = await client.receivable(address, BigInt(least_raw))
  if (info && !blocks.some(({ hash }) => hash === info.frontier)) {
    findings.push(`address ${address}: ${info.frontier} is on the chain, and was not signed by us`)
  }
  const confirmedHeight = info?.confirmedHeight ?? 0
  let expected = BigInt(held)
  for (const block of blocks) {
    const isOnChain = block.height <= confirmedHeight
    if (block.confirmed && !isOnChain) findings.push(`address ${address}: ${block.hash} is confirmed by us alone`)
    if (block.confirmed || !isOnChain || !block.is_send) continue
    expected -= BigInt(block.amount)
    underWay.push(`block ${block.hash} is confirmed, and not booked yet`)
  }
  for (const { hash, amount } of receivable.filter((found) => !known.has(found.hash))) {
    expected += amount
    underWay.push(`${amount} raw in ${hash} came to ${address}, and are not booked yet`)
  }
  const there = (info?.confirmedBalance ?? 0n) + receivable.reduce((sum, { amount }) => sum + amount, 0n)
  // A receive that the chain has accepted but not confirmed is in neither of the two.
  const between = await receivedMeanwhile(db, id, confirmedHeight, info?.blockCount ?? 0)
  if (there + between !== expected) {
    findings.push(`address ${address}: the chain has ${there + between} raw, the books say ${expected}`)
  }
  return { findings, underWay }
}

async function findAudited(db: Db, id: string): Promise<AuditedAddress> {
  const { rows } = await sql<AuditedAddress>`
    SELECT address.address, address.least_raw,
      coalesce((SELECT sum(amount) FROM ledger_entries WHERE account_kind = 'chain' AND account_ref = address.address), 0) AS held
    FROM nano_addresses address WHERE address.id = ${id}`.execute(db)
  return rows[0]!
}

async function listBlocks(db: Db, addressId: string): Promise<SignedBlock[]> {
  const { rows } = await sql<SignedBlock>`
    SELECT block.hash, block.height, coalesce(send.amount, arrival.amount) AS amount, block.send_id IS NOT NULL AS is_send,
      block.confirmed_at IS NOT NULL AS confirmed
    FROM nano_blocks block LEFT JOIN nano_sends send ON send.id = block.send_id
    LEFT JOIN nano_arrivals arrival ON arrival.hash = block.arrival_hash
    WHERE block.address_id = ${addressId} AND block.refused_at IS NULL ORDER BY block.height`.execute(db)
  return rows
}

async function receivedMeanwhile(db: Db, addressId: string, confirmedHeight: number, height: number): Promise<bigint> {
  const { rows } = await sql<{ amount: string }>`
    SELECT coalesce(sum(arrival.amount), 0) AS amount FROM nano_blocks block JOIN nano_arrivals arrival ON arrival.hash = block.arrival_hash
    WHERE block.address_id = ${addressId} AND block.refused_at IS NULL
      AND block.height > ${confirmedHeight} AND block.height <= ${height}`.execute(db)
  return BigInt(rows[0]!.amount)
}
