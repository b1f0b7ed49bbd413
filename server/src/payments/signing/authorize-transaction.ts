import { amountOf, formatAmount } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'
import type { Token } from '../../rails/base/payment/facilitator.ts'
import type { SettlerAccount, SettlerTransaction } from '../../rails/base/payment/settler-account.ts'
import { SignatureWaits } from '../../rails/signer/signer.ts'
import type { PaymentServices } from '../services.ts'
import { type CountedInMemory, count, createOwnCount, reserve } from './signing-limits.ts'

export interface TransactionRules extends Pick<PaymentServices, 'config' | 'clock' | 'db'> {
  readonly token: Token
  /** The most that a day's transactions may cost together, in wei. Undefined if the process that asks counts what they cost. */
  readonly gasOfDay?: bigint | undefined
}

/** The transaction does not present a payment that was stored, or could cost more than any does. Nothing was signed. */
export class TransactionRefused extends Error {
  override name = 'TransactionRefused'
}

/**
 * Signs only transactions that present the authorization of a stored payment to the token, alone or after a known factory
 * deploys the payer's wallet. Counts them within the limits first.
 */
export const guardedAccount = (rules: TransactionRules, account: SettlerAccount): SettlerAccount => {
  const ownCount = createOwnCount()
  return {
    address: account.address,
    async sign(transaction) {
      return ownCount.during(async (own) => {
        await rules.db.transaction().execute((tx) => authorizeTransaction(rules, { tx, own }, transaction))
        own.keep()
        return account.sign(transaction)
      })
    },
  }
}

async function authorizeTransaction(
  rules: TransactionRules,
  { tx, own }: { readonly tx: Tx; readonly own: CountedInMemory },
  transaction: SettlerTransaction,
): Promise<void> {
  const { config, clock, token } = rules
  // Loaded with the first payment, because it imports our largest library.
  const { maxGas, readTransferCall } = await import('../../rails/base/payment/usdc-token.ts')
  const transfer = readTransferCall(transaction, token, config.base?.walletFactories ?? [])
  if (!transfer) throw new TransactionRefused('it is not a call that presents a payment')
  const costWei = transaction.gas * transaction.maxFeePerGas
  if (transaction.gas > maxGas[transfer.kind] || costWei > config.gasBudgetWei)
    throw new TransactionRefused('it could cost more gas than a payment does')
  const payment = await findStored(tx, config.usdcAddress, transfer)
  if (!payment) throw new TransactionRefused('no payment like it is stored')
  const counting = { tx, own, now: clock.now() }
  const gas = { counted: 'gas', most: rules.gasOfDay } as const
  const usdc = { counted: 'USDC', most: config.signer.perHour.USDC } as const
  // A transaction that is signed again, with a higher fee or because our reply was lost, is of the same payment.
  const { payer, nonce, payTo, amountAtomic } = transfer
  const paymentId = [payer, nonce, payTo, amountAtomic].join(' ')
  const amount = payment.is_signed || own.hasKept('USDC', paymentId) ? 0n : amountAtomic
  if (!(await reserve(counting, gas, costWei)))
    throw new SignatureWaits('the gas of a day is used up (BASE_GAS_BUDGET)')
  if (!(await reserve(counting, usdc, amount, paymentId)))
    throw new SignatureWaits(`SIGNER_USDC_PER_HOUR (${formatAmount('USDC', amountOf('USDC', usdc.most!))}) is reached`)
  await count(counting, gas, costWei)
  await count(counting, usdc, amount)
}

interface Wanted {
  readonly payer: string
  readonly nonce: string
  readonly payTo: string
  readonly amountAtomic: bigint
}

/** A payment that was stored before anything was signed for it, and is not settled yet. */
async function findStored(tx: Tx, asset: string, { payer, nonce, payTo, amountAtomic }: Wanted) {
  const { rows } = await sql<{ is_signed: boolean }>`
    SELECT EXISTS (SELECT FROM usdc_transactions WHERE payment_id = x402_payments.id) AS is_signed FROM x402_payments
    WHERE network = 'eip155:8453' AND asset = ${asset} AND payer = ${payer} AND nonce = ${nonce}
      AND lower(pay_to) = lower(${payTo}) AND amount = ${String(amountAtomic)} AND state <> 'settled'`.execute(tx)
  return rows[0]
}
