import { randomBytes, randomUUID } from 'node:crypto'
import type { StateBlock } from '@pennypost/nano/block'
import { addOrder, lockOrder, moveOrder, type OrderState, orderMoves } from '../payments/orders/order-store.ts'
import { addPayout, findPayout, movePayout, type PayoutState, payoutMoves } from '../payments/payouts/payout-store.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Moves } from '../platform/state-machine.ts'
import { addAddress, nextAddressId } from '../rails/nano/custody/addresses.ts'
import { addBlock, addSend, findLastBlock } from '../rails/nano/custody/block-store.ts'

export interface Machine<State extends string> {
  readonly moves: Moves<State>
  readonly states: readonly State[]
  /** Creates a row in that state and returns its id. */
  make(tx: Tx, state: State): Promise<string>
  move(tx: Tx, id: string, move: string): Promise<unknown>
  stateOf(tx: Tx, id: string): Promise<State>
}

interface Sale {
  readonly postId: string
  readonly payerId: string
  readonly payeeId: string
}
type MakeSale = (tx: Tx) => Promise<Sale>

const now = new Date()

/** The state machines of payment orders and payouts. `makeSale` provides the post and the people. */
export const paymentMachines = (makeSale: MakeSale): Record<string, Machine<string>> => ({
  'payment orders': orderMachine(makeSale) as Machine<string>,
  payouts: payoutMachine(makeSale) as Machine<string>,
})

async function addPaymentOrder(tx: Tx, state: OrderState, sale: Sale) {
  const addressId = await nextAddressId(tx)
  const times = { created_at: now, expires_at: now }
  await addAddress(tx, {
    id: addressId,
    derivation: null,
    address: `nano_${addressId}`,
    purpose: 'order',
    least_raw: '1',
    ...times,
    next_check_at: now,
  })
  const order = await addOrder(tx, {
    id: randomUUID(),
    kind: 'purchase',
    payer_id: sale.payerId,
    payer_wallet: null,
    payee_id: sale.payeeId,
    post_id: sale.postId,
    comment_id: null,
    message: null,
    amount_raw: '1',
    commission_raw: '0',
    recipient: 'nano_1',
    address_id: addressId,
    ...times,
  })
  const isReceived = state === 'received' || state === 'paid'
  await tx
    .updateTable('orders')
    .set({ state, received_at: isReceived ? now : null, paid_at: state === 'paid' ? now : null })
    .where('id', '=', order.id)
    .execute()
  return order
}

const orderMachine = (makeSale: MakeSale): Machine<OrderState> => ({
  moves: orderMoves,
  states: ['pending', 'received', 'paid', 'cancelled', 'expired'],
  make: async (tx, state) => (await addPaymentOrder(tx, state, await makeSale(tx))).id,
  move: (tx, id, move) => moveOrder(tx, id, move as keyof typeof orderMoves, now),
  stateOf: async (tx, id) => (await lockOrder(tx, id))!.state,
})

const payoutMachine = (makeSale: MakeSale): Machine<PayoutState> => ({
  moves: payoutMoves,
  states: ['waiting', 'blocked', 'confirmed'],
  async make(tx, state) {
    const order = await addPaymentOrder(tx, 'received', await makeSale(tx))
    const { id } = await addPayout(tx, {
      id: randomUUID(),
      role: 'creator',
      order_id: order.id,
      arrival_hash: null,
      payee_id: order.payee_id,
      address_id: order.address_id,
      destination: 'nano_1',
      amount: '1',
      created_at: now,
      blocked_reason: state === 'blocked' ? 'no address' : null,
    })
    if (state === 'confirmed') await movePayout(tx, id, 'confirm', await confirmation(tx, order.address_id))
    return id
  },
  async move(tx, id, move) {
    const { address_id } = (await findPayout(tx, id))!
    const change = {
      block: async () => ({ blocked_reason: 'no address' }),
      bind: async () => ({ blocked_reason: null, bound_revision: now }),
      confirm: () => confirmation(tx, address_id),
    }
    return movePayout(tx, id, move as keyof typeof payoutMoves, await change[move as keyof typeof change]())
  },
  stateOf: async (tx, id) => (await findPayout(tx, id))!.state,
})

async function confirmation(tx: Tx, addressId: string) {
  const send = { id: randomUUID(), address_id: addressId, destination: 'nano_1', amount: '1', created_at: now }
  await addSend(tx, send)
  const block_hash = randomBytes(32).toString('hex').toUpperCase()
  const last = await findLastBlock(tx, addressId)
  await addBlock(tx, {
    hash: block_hash,
    address_id: addressId,
    height: (last?.height ?? 0) + 1,
    previous: last?.hash ?? 'none',
    balance: '0',
    arrival_hash: null,
    send_id: send.id,
    block: {} as StateBlock,
    signed_at: now,
  })
  return { confirmed_at: now, block_hash }
}
