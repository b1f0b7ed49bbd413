import { setTimeout as wait } from 'node:timers/promises'
import { amountOf } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { BaseRail } from '../../rails/base/base.ts'
import type { Token, WrittenAuthorization } from '../../rails/base/payment/facilitator.ts'
import type { ChainClient } from '../../rails/base/rpc/chain-client.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import type { ChainAudit } from './audit-chain.ts'
import { everything, type Scope } from './audit-scope.ts'
import { type Finding, runChecks } from './run-checks.ts'
import { strayUsdcChecks, usdcChecks } from './usdc-checks.ts'

export interface UsdcAudit extends Pick<ChainAudit, 'findings' | 'underWay'> {
  readonly payments: number
  /** Whether the chain was asked. Without a node only the books are checked against each other. */
  readonly isSeen: boolean
}

interface PaymentRow {
  readonly id: string
  readonly state: 'settling' | 'settled' | 'failed'
  readonly is_final: boolean
  readonly payer: string
  readonly nonce: Hex
  readonly pay_to: string
  readonly amount: string
  readonly valid_before: string
  readonly seen_at_block: string | null
  readonly transaction: string | null
  /** Every transaction that we signed for it. */
  readonly hashes: readonly string[]
}

type ChainFindings = Pick<ChainAudit, 'findings' | 'underWay'>

const pageSize = 500
const concurrency = 8
const secondLookMs = 250
/** After this time no job looks at a payment: what the chain shows must be in the books by then. */
const lateSeconds = 3_600

type Base = Pick<BaseRail, 'chain' | 'token'> | undefined

/** Checks that each payment in USDC is on the chain as the books say, and that the chain has none that the books lack. */
export async function auditUsdc(db: Db, base: Base, now: Date): Promise<UsdcAudit> {
  const findings = await auditUsdcBooks(db, everything, now)
  findings.push(...(await auditUsdcStrays(db, now)))
  const seen = await auditPayments(db, base, 'SELECT id FROM x402_payments', now)
  findings.push(...seen.findings)
  if (seen.payments > 0) findings.push(...(await auditSigners(db, base)))
  return { ...seen, findings, isSeen: seen.payments === 0 || base?.chain !== undefined }
}

/** Runs the checks of a part of the books that need only the database. */
export const auditUsdcBooks = (db: Db, scope: Scope, now: Date): Promise<Finding[]> =>
  runChecks(db, usdcChecks, scope, now)

export const auditUsdcStrays = (db: Db, now: Date): Promise<Finding[]> =>
  runChecks(db, strayUsdcChecks, everything, now)

/** Payments of orders, for `auditPayments`. */
export const paymentsOf = ({ orders }: Scope): string => `SELECT id FROM x402_payments WHERE order_id IN (${orders})`

/** Payments whose outcome was open when an audit began then, for `auditPayments`. */
export const openPaymentsSince = (since: Date): string =>
  `SELECT id FROM x402_payments WHERE network = 'eip155:8453' AND state <> 'settled'
   AND (state = 'settling' OR valid_before > ${Math.floor(since.getTime() / 1000) - lateSeconds})`

/** Compares payments with the chain, page by page. Without a node they are only counted. */
export async function auditPayments(
  db: Db,
  base: Base,
  payments: string,
  now: Date,
): Promise<ChainFindings & { readonly payments: number }> {
  const findings: Finding[] = []
  const underWay: string[] = []
  let count = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await listPayments(db, payments, after)
    count += page.length
    const last = page.at(-1)
    if (!last) return { findings, underWay, payments: count }
    after = last.id
    if (!base?.chain) continue
    const { chain, token } = base
    const waiting = [...page]
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const seen = await auditPayment(db, chain, token, next, now)
        findings.push(...seen.findings)
        underWay.push(...seen.underWay)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  }
}

const columns = sql`payment.id, payment.state, payment.is_final, payment.payer, payment.nonce, payment.pay_to,
  payment.amount::text AS amount, payment.valid_before::text AS valid_before,
  payment.seen_at_block::text AS seen_at_block, payment.transaction,
  ARRAY(SELECT hash FROM usdc_transactions signed WHERE signed.payment_id = payment.id) AS hashes`

async function listPayments(db: Db, payments: string, after: string): Promise<PaymentRow[]> {
  const { rows } = await sql<PaymentRow>`SELECT ${columns} FROM x402_payments payment
    WHERE payment.network = 'eip155:8453' AND payment.id IN (${sql.raw(payments)}) AND payment.id > ${after} ORDER BY payment.id LIMIT ${pageSize}`.execute(
    db,
  )
  return rows
}

async function findPayment(db: Db, id: string): Promise<PaymentRow> {
  const { rows } = await sql<PaymentRow>`SELECT ${columns} FROM x402_payments payment WHERE payment.id = ${id}`.execute(
    db,
  )
  return rows[0]!
}

/** Books and chain are read one after the other, while money moves: a finding counts only if a second look finds it too. */
async function auditPayment(
  db: Db,
  chain: ChainClient,
  token: Token,
  payment: PaymentRow,
  now: Date,
): Promise<ChainFindings> {
  const seen = await lookAt(chain, token, payment, now)
  if (seen.findings.length === 0) return seen
  await wait(secondLookMs)
  return lookAt(chain, token, await findPayment(db, payment.id), now)
}

async function lookAt(chain: ChainClient, token: Token, payment: PaymentRow, now: Date): Promise<ChainFindings> {
  // Loaded here, because they bring the largest of our libraries.
  const [{ findEvidence }, { showPayment }] = await Promise.all([
    import('../../rails/base/payment/evidence.ts'),
    import('../../rails/base/payment/usdc-token.ts'),
  ])
  const written: WrittenAuthorization = {
    payer: payment.payer,
    nonce: payment.nonce,
    payTo: payment.pay_to,
    amountAtomic: amountOf('USDC', payment.amount),
    validBefore: BigInt(payment.valid_before),
    transactions: payment.hashes.map((hash) => ({ hash })),
    seenAtBlock: payment.seen_at_block === null ? undefined : BigInt(payment.seen_at_block),
  }
  if (payment.state === 'settled') {
    const receipt = await chain.receipt(payment.transaction!)
    const isPaid = receipt?.isSuccess && showPayment(receipt.logs, token, written)
    const wrong = `payment ${payment.id}: settled here, and ${payment.transaction} does not show it on the chain`
    return { findings: isPaid ? [] : [wrong], underWay: [] }
  }
  const evidence = await findEvidence(chain, token, written)
  if (evidence.kind !== 'paid') return { findings: [], underWay: [] }
  const paid = `payment ${payment.id}: ${evidence.transaction} has paid it, and it is not booked`
  const isLate = now.getTime() / 1000 > Number(payment.valid_before) + lateSeconds
  return payment.is_final || isLate ? { findings: [paid], underWay: [] } : { findings: [], underWay: [`${paid} yet`] }
}

/** Checks that every transaction of our settling accounts, since their first payment, was written down before. */
export async function auditSigners(db: Db, base: Base): Promise<Finding[]> {
  if (!base?.chain) return []
  const { chain } = base
  const { rows: signers } = await sql<{ signer: string; first: string }>`
    SELECT signer, min(nonce)::text AS first FROM usdc_transactions GROUP BY signer`.execute(db)
  const findings: Finding[] = []
  for (const { signer, first } of signers) {
    const count = await chain.transactionCount(signer, 'latest')
    const { rows } = await sql<{ nonce: string }>`
      SELECT nonce::text AS nonce FROM generate_series(${first}::bigint, ${String(count - 1)}::bigint) nonce
      WHERE NOT EXISTS (SELECT FROM usdc_transactions signed WHERE signed.signer = ${signer} AND signed.nonce = nonce.nonce)
      LIMIT 100`.execute(db)
    for (const { nonce } of rows)
      findings.push(`account ${signer}: its transaction ${nonce} is on the chain, and was not written down by us`)
  }
  return findings
}
