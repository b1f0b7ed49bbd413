import { type Kysely, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import { addAddress, addressChannel, findAddressByText, nextAddressId } from '../../rails/nano/custody/addresses.ts'
import { addBlock, type SendRow } from '../../rails/nano/custody/block-store.ts'
import { closeLater } from '../orders/order-lifecycle.job.ts'
import { addOrder } from '../orders/order-store.ts'
import { receiveArrivals, takeArrival } from '../receive-arrivals.ts'
import type { PaymentServices } from '../services.ts'
import { addPayment, findPayment, movePayment, storeTransaction } from '../x402/payment-store.ts'
import { settle, settleLater } from '../x402/settle-payment.job.ts'
import type { JournalRecord } from './journal-record.ts'
import { type ChainBlock, readChain } from './read-chain.ts'

/**
 * - `regained`: what was bought is bought again, and what was promised is promised.
 * - `returning`: nobody knows any more what the money was for, so it goes back to its senders.
 * - `known`: the database has it after all.
 * - `impossible`: a person has to look at it. Nothing was changed.
 */
export type Regained = { readonly kind: Possible } | { readonly kind: 'impossible'; readonly reason: string }

type Possible = 'regained' | 'returning' | 'known'

class Impossible extends Error {}

/** Brings back what one record promises, from the journal and the chain. Safe to repeat, and to run beside the service. */
export async function regain(services: PaymentServices, record: JournalRecord): Promise<Regained> {
  const { address, payment, transaction } = record
  try {
    if (transaction) return { kind: await regainTransaction(services, transaction) }
    if (address) return { kind: await regainAddress(services, { ...record, address }) }
    return payment ? { kind: await regainUsdc(services, payment) } : { kind: 'known' }
  } catch (error) {
    if (error instanceof Impossible) return { kind: 'impossible', reason: error.message }
    throw error
  }
}

type AddressRecord = JournalRecord & { readonly address: NonNullable<JournalRecord['address']> }

/**
 * One transaction: the address, its order and payment, what arrived there, and every block that is on the chain already.
 * The ordinary rules decide what the money buys, and the ordinary jobs do what is left: nothing is sent twice, because
 * the blocks that were sent before are ours again before a job can see the address.
 */
async function regainAddress(current: PaymentServices, record: AddressRecord): Promise<Possible> {
  const { db, nano, keyring } = current
  const { address, derivation, id } = record.address
  if (keyring.addressOf({ id, derivation }) !== address) throw new Impossible(`${address} is of another seed`)
  const chain = await readChain(nano.client, address)
  const services = inTime(current, record, chain)
  const kind = await db.transaction().execute(async (tx) => {
    if (await findAddressByText(tx, address)) {
      // A second payment under the same offer has the same address.
      if (record.payment) await restorePayment(services, tx, record.payment)
      return 'known'
    }
    const addressId = await restoreAddress(services, tx, record.address)
    const isOrdered = record.order !== null && (await restoreOrder(services, tx, addressId, record))
    // What was paid out was sold: without its buyer and its post it cannot be told from a theft.
    if (!isOrdered && record.order && chain.some((block) => block.kind === 'send'))
      throw new Impossible(`${address} was paid and paid out for order ${record.order.id}, whose people are not known`)
    for (const block of chain)
      if (block.kind === 'receive') await takeArrival(services, tx, { ...block.arrival, addressId, address })
    await adoptBlocks(services, tx, addressId, chain)
    await sql`SELECT pg_notify(${addressChannel}, ${address})`.execute(tx)
    return isOrdered ? 'regained' : 'returning'
  })
  if (kind !== 'known') await receiveArrivals(services, address, undefined)
  return kind
}

/**
 * What came before the loss came in time, as far as anybody knows: it is not late because the restore took days. But an
 * order whose money was sent back, and not to its author, was judged already.
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
  // An address of an older version is known by its index. A newer one may have taken that as its id: it keeps its key.
  const id = derivation === null ? address.id : await nextAddressId(tx)
  const taken = await tx.selectFrom('nano_addresses').select('address').where('id', '=', id).executeTakeFirst()
  if (taken) throw new Impossible(`index ${id} of ${address.address} was given to ${taken.address}`)
  await addAddress(tx, { ...address, id, derivation, next_check_at: clock.now() })
  return id
}

/** False: the restored database does not know who bought, who sold or what. */
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
    // Without its comment the tip is for the post.
    comment_id: hasComment ? comment_id : null,
    // Without its checkout it is the wallet's.
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

/** Writes down the blocks that the chain has, each with the arrival it received or the send that it carried out. */
async function adoptBlocks(
  { clock }: PaymentServices,
  tx: Tx,
  addressId: string,
  chain: readonly ChainBlock[],
): Promise<void> {
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
  if (index < 0) throw new Impossible(`block ${hash} sent ${amount} raw to ${destination}, which nothing here owes`)
  return open.splice(index, 1)[0]!
}

/** A USDC payment went straight to the author. If the chain has it, it is recorded as the sale that it was. */
async function regainUsdc(services: PaymentServices, record: NewPayment): Promise<Possible> {
  const { db } = services
  const isKnown = await db.transaction().execute(async (tx) => {
    if (await findPayment(tx, record.id)) return true
    const people = [record.payee_id]
    if (!(await exist(tx, 'accounts', people)) || !(await exist(tx, 'posts', [record.post_id])))
      throw new Impossible(`payment ${record.id} is for a post or an author that are not known`)
    const payment = await addPayment(tx, { ...(await withKnownPeople(tx, record)), client: null })
    if (!payment) return true
    // As one that was given up: the chain is asked what became of it, and nothing is sent.
    await movePayment(tx, payment.id, 'fail', { failure: 'not_known_after_restore' })
    return false
  })
  if (isKnown) return 'known'
  const found = await settle(services, (await findPayment(db, record.id))!)
  return found.state === 'settled' ? 'regained' : 'known'
}

/** The payment came before it in the journal. */
async function regainTransaction(
  { db, clock }: PaymentServices,
  { payment_id, ...transaction }: NonNullable<JournalRecord['transaction']>,
): Promise<Possible> {
  if (!(await findPayment(db, payment_id))) throw new Impossible(`transaction ${transaction.hash} is of no payment`)
  const { replaces, raw, ...signed } = transaction
  await storeTransaction(db, payment_id, { ...signed, raw: raw as Hex, ...(replaces && { replaces }) }, clock.now())
  return 'known'
}

/** Which of these the database lacks. */
export async function listLost(db: Db, records: readonly JournalRecord[]): Promise<JournalRecord[]> {
  const { rows } = await sql<{ known: string }>`
    SELECT address AS known FROM nano_addresses WHERE address = ANY (${records.map((each) => each.address?.address ?? '')}::text[])
    UNION ALL SELECT id::text FROM x402_payments
    WHERE id = ANY (${records.flatMap(({ payment }) => (payment ? [payment.id] : []))}::uuid[])
    UNION ALL SELECT hash FROM usdc_transactions
    WHERE hash = ANY (${records.map((each) => each.transaction?.hash ?? '')}::text[])`.execute(db)
  const known = new Set(rows.map((row) => row.known))
  return records.filter(({ address, payment, transaction }) =>
    [address?.address, payment?.id, transaction?.hash].some((name) => name !== undefined && !known.has(name)),
  )
}
