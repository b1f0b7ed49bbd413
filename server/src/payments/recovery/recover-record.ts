import { type Kysely, sql } from 'kysely'
import { type Db, isIntegrityViolation, type Tx } from '../../platform/database/database.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import { addAddress, addressChannel, findAddressByText, nextAddressId } from '../../rails/nano/custody/addresses.ts'
import { addBlock, type SendRow } from '../../rails/nano/custody/block-store.ts'
import { addressOf } from '../../rails/nano/custody/keyring.ts'
import { closeLater } from '../orders/order-lifecycle.job.ts'
import { addOrder, findOrder } from '../orders/order-store.ts'
import { sweepAddress } from '../payouts/sweep-commission.job.ts'
import { receiveArrivals, takeArrival } from '../receive-arrivals.ts'
import type { PaymentServices } from '../services.ts'
import { addPayment, findPayment, listTransactions, movePayment, storeTransaction } from '../x402/payment-store.ts'
import { settle, settleLater, unknownAfterRestore } from '../x402/settle-payment.job.ts'
import type { JournalRecord } from './journal-record.ts'
import { type ChainBlock, readChain, Unrecoverable } from './read-chain.ts'

/**
 * - `recovered`: the order or payment is in the database again.
 * - `returning`: it is unknown what the money was for, so it goes back to its senders.
 * - `known`: the database had it already.
 * - `unrecoverable`: a person has to look at it. Nothing was changed.
 */
export type RecordOutcome = { readonly kind: Outcome } | { readonly kind: 'unrecoverable'; readonly reason: string }

type Outcome = 'recovered' | 'returning' | 'known'

/** Recovers one record from the journal and the chain. Safe to repeat, also while the service is running. */
export async function recoverRecord(
  services: PaymentServices,
  record: JournalRecord,
  { isAgain = false } = {},
): Promise<RecordOutcome> {
  const { address, payment, transaction } = record
  try {
    if (transaction) return { kind: await recoverTransaction(services, transaction) }
    if (address) return { kind: await recoverAddress(services, { ...record, address }) }
    return payment ? { kind: await recoverUsdc(services, payment) } : { kind: 'known' }
  } catch (error) {
    if (error instanceof Unrecoverable) return { kind: 'unrecoverable', reason: error.message }
    if (!isIntegrityViolation(error)) throw error
    // Another process recovered the same meanwhile, and has committed: now it is known.
    if (!isAgain) return recoverRecord(services, record, { isAgain: true })
    // One record that the database refuses must not keep all others from being recovered.
    return { kind: 'unrecoverable', reason: `the database refuses it: ${error.message}` }
  }
}

type AddressRecord = JournalRecord & { readonly address: NonNullable<JournalRecord['address']> }

/**
 * Restores in one transaction: the address, its order and payment, what arrived there, and every block that is already on
 * the chain. The usual rules then decide what the money buys, and the usual jobs do the rest. Nothing is sent twice: when a
 * job first sees the address, the blocks that were sent before are stored.
 */
async function recoverAddress(current: PaymentServices, record: AddressRecord): Promise<Outcome> {
  const { db, nano, addresses } = current
  const { address, derivation, id } = record.address
  if ((await addressOf(addresses, { id, derivation })) !== address)
    throw new Unrecoverable(`${address} is of another seed`)
  const chain = await readChain(nano.client, address)
  const services = inTime(current, record, chain)
  const kind = await db.transaction().execute(async (tx) => {
    if (await findAddressByText(tx, address)) {
      // A second payment under the same offer has the same address. If its order is lost for good, its money goes back.
      if (record.payment && record.order && (await findOrder(tx, record.order.id)))
        await restorePayment(services, tx, record.payment)
      return 'known'
    }
    const addressId = await restoreAddress(services, tx, record.address)
    const isOrdered = record.order !== null && (await restoreOrder(services, tx, addressId, record))
    // Money that was paid out had bought something. Without the buyer and the post we cannot tell that from a theft.
    if (!isOrdered && record.order && chain.some((block) => block.kind === 'send'))
      throw new Unrecoverable(
        `${address} was paid and paid out for order ${record.order.id}, whose people are not known`,
      )
    for (const block of chain)
      if (block.kind === 'receive') await takeArrival(services, tx, { ...block.arrival, addressId, address })
    await adoptBlocks(services, tx, addressId, chain)
    await sql`SELECT pg_notify(${addressChannel}, ${address})`.execute(tx)
    return isOrdered ? 'recovered' : 'returning'
  })
  if (kind !== 'known') await receiveArrivals(services, address, undefined)
  return kind
}

/**
 * Gives money that arrived before the loss the benefit of the doubt: it is not late only because the restore took days.
 * The exception is an order whose money was sent back instead of to the author: that was decided before.
 */
function inTime(services: PaymentServices, { order }: AddressRecord, chain: readonly ChainBlock[]): PaymentServices {
  const sends = chain.filter((block) => block.kind === 'send')
  const isReturned = sends.length > 0 && !sends.some(({ destination }) => destination === order?.recipient)
  const { clock } = services
  if (!order || isReturned || clock.now() < order.expires_at) return services
  const at = new Date(order.expires_at.getTime() - 1)
  return { ...services, clock: { ...clock, now: () => at } }
}

async function restoreAddress(
  { clock }: PaymentServices,
  tx: Tx,
  { derivation, ...address }: AddressRecord['address'],
): Promise<string> {
  // Older addresses are derived from their id. If a newer address has that id now, the key would be the wrong one.
  const id = derivation === null ? address.id : await nextAddressId(tx)
  const taken = await tx.selectFrom('nano_addresses').select('address').where('id', '=', id).executeTakeFirst()
  if (taken) throw new Unrecoverable(`index ${id} of ${address.address} was given to ${taken.address}`)
  await addAddress(tx, { ...address, id, derivation, next_check_at: clock.now() })
  return id
}

/** Returns false if the restored database lacks the buyer, the author or the post. */
async function restoreOrder(
  services: PaymentServices,
  tx: Tx,
  addressId: string,
  { order, payment }: JournalRecord,
): Promise<boolean> {
  const { payer_id, payee_id, post_id, comment_id } = order!
  const people = [payer_id, payee_id].filter((id) => id !== null)
  if (!(await exist(tx, 'accounts', people)) || !(await exist(tx, 'posts', [post_id]))) return false
  const hasComment = comment_id !== null && (await exist(tx, 'comments', [comment_id]))
  const row = await addOrder(tx, { ...order!, comment_id: hasComment ? comment_id : null, address_id: addressId })
  await closeLater(services, tx, row)
  if (payment) await restorePayment(services, tx, payment)
  return true
}

async function restorePayment(services: PaymentServices, tx: Tx, payment: NewPayment): Promise<void> {
  const restored = await addPayment(tx, { ...(await withKnownPeople(tx, payment)), client: null })
  if (restored) await settleLater(services, tx, restored)
}

type NewPayment = NonNullable<JournalRecord['payment']>

async function withKnownPeople(tx: Tx, payment: NewPayment): Promise<NewPayment> {
  const { checkout_id, account_id, comment_id } = payment
  const hasCheckout = checkout_id !== null && (await exist(tx, 'checkouts', [checkout_id]))
  const hasAccount = account_id !== null && (await exist(tx, 'accounts', [account_id]))
  const hasComment = comment_id !== null && (await exist(tx, 'comments', [comment_id]))
  return {
    ...payment,
    // If the comment is lost, the tip is for the post.
    comment_id: hasComment ? comment_id : null,
    // If the checkout is lost, the wallet has bought the post.
    purpose: payment.purpose === 'checkout' && !hasCheckout ? 'access' : payment.purpose,
    checkout_id: hasCheckout ? checkout_id : null,
    account_id: hasAccount ? account_id : null,
  }
}

async function exist(tx: Tx, table: 'accounts' | 'posts' | 'comments' | 'checkouts', ids: string[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  const { count } = await (tx as unknown as Kysely<Record<string, { id: string }>>)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('id', 'in', wanted)
    .executeTakeFirstOrThrow()
  return Number(count) === wanted.length
}

/** Stores the blocks that the chain has, each with the arrival it received or the send it carried out. */
async function adoptBlocks(
  services: PaymentServices,
  tx: Tx,
  addressId: string,
  chain: readonly ChainBlock[],
): Promise<void> {
  const { clock } = services
  // Its commission may have been swept before the loss.
  if (chain.some(({ kind }) => kind === 'send')) await sweepAddress(services, tx, addressId)
  const sends = await tx
    .selectFrom('nano_sends')
    .selectAll()
    .where('address_id', '=', addressId)
    .orderBy('number')
    .execute()
  const open = [...sends]
  for (const found of chain) {
    await addBlock(tx, {
      hash: found.hash,
      address_id: addressId,
      height: found.height,
      previous: found.block.previous,
      balance: found.block.balance,
      arrival_hash: found.kind === 'receive' ? found.arrival.hash : null,
      send_id: found.kind === 'send' ? takeSend(open, found).id : null,
      block: found.block,
      signed_at: clock.now(),
    })
  }
}

function takeSend(open: SendRow[], { hash, destination, amount }: ChainBlock & { readonly kind: 'send' }): SendRow {
  const index = open.findIndex((send) => send.destination === destination && BigInt(send.amount) === amount)
  if (index < 0) throw new Unrecoverable(`block ${hash} sent ${amount} raw to ${destination}, which nothing here owes`)
  return open.splice(index, 1)[0]!
}

/** A USDC payment went straight to the author. If the chain has it, the sale is recorded. */
async function recoverUsdc(services: PaymentServices, record: NewPayment): Promise<Outcome> {
  const { db } = services
  const isKnown = await db.transaction().execute(async (tx) => {
    if (await findPayment(tx, record.id)) return true
    const people = [record.payee_id]
    if (!(await exist(tx, 'accounts', people)) || !(await exist(tx, 'posts', [record.post_id])))
      throw new Unrecoverable(`payment ${record.id} is for a post or an author that are not known`)
    const payment = await addPayment(tx, { ...(await withKnownPeople(tx, record)), client: null })
    if (!payment) return true
    // Stored as failed, so that the chain is asked for its outcome and nothing is sent.
    await movePayment(tx, payment.id, 'fail', { failure: unknownAfterRestore })
    // If no node shows the outcome now, it is asked for again.
    await settleLater(services, tx, payment)
    return false
  })
  if (isKnown) return 'known'
  const found = await settle(services, (await findPayment(db, record.id))!)
  return found.state === 'settled' ? 'recovered' : 'known'
}

/**
 * Its payment is recovered first, and so is the transaction that it replaces. If the replaced transaction is lost for good, this
 * one is stored as the first with its nonce.
 */
async function recoverTransaction(
  { db, clock }: PaymentServices,
  { payment_id, ...transaction }: NonNullable<JournalRecord['transaction']>,
): Promise<Outcome> {
  if (!(await findPayment(db, payment_id))) throw new Unrecoverable(`transaction ${transaction.hash} is of no payment`)
  const { replaces, raw, ...signed } = transaction
  const replaced = replaces && (await listTransactions(db, payment_id)).find(({ hash }) => hash === replaces)
  await storeTransaction(
    db,
    payment_id,
    { ...signed, raw: raw as Hex, ...(replaced && { replaces: replaced.hash }) },
    clock.now(),
  )
  return 'known'
}

/** Returns the records that are missing from the database. */
export async function listLost(db: Db, records: readonly JournalRecord[]): Promise<JournalRecord[]> {
  const { rows } = await sql<{ known: string }>`
    SELECT address AS known FROM nano_addresses WHERE address = ANY (${records.map((each) => each.address?.address ?? '')}::text[])
    UNION ALL SELECT id::text FROM x402_payments
    WHERE id = ANY (${records.flatMap(({ payment }) => (payment ? [payment.id] : []))}::uuid[])
    UNION ALL SELECT id::text FROM orders
    WHERE id = ANY (${records.flatMap(({ order, payment }) => (order && payment ? [order.id] : []))}::uuid[])
    UNION ALL SELECT hash FROM usdc_transactions
    WHERE hash = ANY (${records.map((each) => each.transaction?.hash ?? '')}::text[])`.execute(db)
  const known = new Set(rows.map((row) => row.known))
  const isMissing = (name: string | undefined) => name !== undefined && !known.has(name)
  return records.filter(({ address, order, payment, transaction }) => {
    if (isMissing(address?.address) || isMissing(transaction?.hash)) return true
    // With its address but without its order, its money goes back: nothing is left to recover.
    return isMissing(payment?.id) && !isMissing(order?.id)
  })
}
