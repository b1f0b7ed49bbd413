import type { BaseRail } from '../../rails/base/base.ts'
import type { PaymentServices } from '../services.ts'
import { auditScope, auditStrays } from './audit-books.ts'
import { auditChain, type ChainAudit } from './audit-chain.ts'
import { auditLost } from './audit-lost.ts'
import {
  paidWithoutSale,
  type Range,
  type Scope,
  scopeOfAddresses,
  scopeOfMovements,
  scopeOfNewMovements,
  unfinished,
} from './audit-scope.ts'
import {
  canKeepSlices,
  countSales,
  defaultSizes,
  dueSlices,
  findLastRun,
  forgetSlices,
  keepRun,
  keepSlice,
  listSlices,
  type SliceKind,
  type SliceSizes,
  settledBounds,
} from './audit-slices.ts'
import {
  auditPayments,
  auditSigners,
  auditUsdcBooks,
  auditUsdcStrays,
  openPaymentsSince,
  paymentsOf,
} from './audit-usdc.ts'
import type { Finding } from './run-checks.ts'

export interface Audit {
  readonly findings: readonly Finding[]
  /** Differences between chain and books that are not errors, because they are about to be booked. */
  readonly underWay: readonly string[]
  /** How many movements of the ledger, addresses and USDC payments were checked. */
  readonly movements: bigint
  readonly addresses: number
  readonly payments: number
  /** False if there are USDC payments but no node to check them with. */
  readonly isUsdcSeen: boolean
}

export interface AuditOptions {
  /** Checks everything again, whatever earlier runs have checked. */
  readonly isFull?: boolean
  readonly onProgress?: (line: string) => void
  /** For tests: smaller slices. */
  readonly sizes?: SliceSizes
}

type Parts = Pick<PaymentServices, 'config' | 'db' | 'clock' | 'addresses' | 'nano'> & {
  readonly base: Pick<BaseRail, 'chain' | 'token'> | undefined
}

/** Journals are compared again from this long before the last run, because the clocks of machines differ. */
const journalMarginMs = 86_400_000

/**
 * Checks books, figures and chains. The first run checks everything, in slices that it keeps, so it can be interrupted and
 * continued. Later runs check what is new, what can still change, what was wrong before, and some old slices in turn.
 */
export async function runAudit(parts: Parts, options: AuditOptions = {}): Promise<Audit> {
  const { isFull, onProgress = () => {}, sizes = defaultSizes } = options
  const { db, clock, nano, base } = parts
  const now = clock.now()
  const findings: Finding[] = []
  const underWay: string[] = []
  const count = { movements: 0n, addresses: 0, payments: 0 }
  let isUsdcUnseen = false

  const isKept = await canKeepSlices(db)
  if (isKept && isFull) await forgetSlices(db)
  const known = isKept ? await listSlices(db) : []
  const lastRun = known.length > 0 ? await findLastRun(db) : undefined
  const bounds = await settledBounds(db)
  if (!bounds.isSettled) underWay.push('a transaction has been open for a minute; the next audit checks what is new')

  const add = (seen: Pick<ChainAudit, 'findings' | 'underWay'>) => {
    findings.push(...seen.findings)
    underWay.push(...seen.underWay)
  }
  const checkChain = async (scope: Scope) => {
    const seen = await auditChain(db, nano.client, scope).catch((error: Error): ChainAudit => {
      return { findings: [`the chain could not be asked: ${error.message}`], underWay: [], addresses: 0 }
    })
    count.addresses += seen.addresses
    add(seen)
  }
  const checkPayments = async (payments: string): Promise<void> => {
    const seen = await auditPayments(db, base, payments, now).catch((error: Error) => {
      isUsdcUnseen = true
      return { findings: [`the chain of Base could not be asked: ${error.message}`], underWay: [], payments: 0 }
    })
    count.payments += seen.payments
    add(seen)
  }
  const checkBooksAndChain = async (scope: Scope) => {
    const [found] = await Promise.all([auditScope(db, scope, now), checkChain(scope)])
    findings.push(...found)
  }
  const checkSlice = async (kind: SliceKind, range: Range, isNew: boolean) => {
    if (kind === 'addresses') {
      return checkBooksAndChain(scopeOfAddresses(range))
    }
    count.movements += range.last - range.first + 1n
    // The first run has just checked all addresses. Later runs find by new movements which of them changed.
    const isChange = isNew && known.length > 0
    const scope = isChange ? scopeOfNewMovements(range) : scopeOfMovements(range)
    findings.push(...(await auditScope(db, scope, now)), ...(await auditUsdcBooks(db, scope, now)))
    await checkPayments(paymentsOf(scope))
    if (isChange) await checkChain(scope)
  }

  for (const kind of ['addresses', 'movements'] as const) {
    const due = dueSlices(kind, known, bounds[kind], sizes[kind])
    for (const [index, { range, isNew }] of due.entries()) {
      const before = { findings: findings.length, payments: count.payments }
      await checkSlice(kind, range, isNew)
      // Payments that no node was asked about are not proved.
      const unseen = base?.chain ? 0 : count.payments - before.payments
      const found = findings.length - before.findings + unseen
      if (isKept) await keepSlice(db, kind, range, { findings: found, size: sizes[kind] })
      onProgress(`${kind}: ${index + 1} of ${due.length} slices`)
    }
  }
  await checkBooksAndChain(unfinished)
  if (isKept) findings.push(...(await auditMissingSales(parts, now)))
  findings.push(...(await auditStrays(db, now)), ...(await auditUsdcStrays(db, now)))
  await checkPayments(openPaymentsSince(lastRun?.now ?? new Date(0)))
  add({ findings: await auditSigners(db, base).catch(() => []), underWay: [] })
  const since = lastRun && new Date(lastRun.startedAt.getTime() - journalMarginMs)
  const lost = await auditLost(parts, since).catch((error: Error) => [
    `the journal could not be compared with the books: ${error.message}`,
  ])
  findings.push(...lost)
  const audit = { findings: unique(findings), underWay: unique(underWay) }
  if (isKept) await keepRun(db, { startedAt: bounds.at, now, findings: audit.findings.length })
  return { ...audit, ...count, isUsdcSeen: !isUsdcUnseen && (count.payments === 0 || base?.chain !== undefined) }
}

/** An order can be in several scopes. */
const unique = (lines: readonly string[]): string[] => [...new Set(lines)]

/** Finds orders that are marked as paid but have no sale in the books. Called only if the numbers of the two differ. */
async function auditMissingSales({ db }: Parts, now: Date): Promise<Finding[]> {
  const { booked, paid } = await countSales(db)
  return booked === paid ? [] : auditScope(db, paidWithoutSale, now)
}
