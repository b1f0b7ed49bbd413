import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createCheckout, getCheckout } from '@pennypost/contract/checkout'
import type { Market } from '../../payments/market.fixture.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import { nextAddress, Person } from '../../test/person.ts'

/** Starts a checkout in Nano, by default as a guest. */
export async function startsNano(
  { world, postId: sold }: Pick<Market, 'world' | 'postId'>,
  { person = world.stranger(), postId = sold }: { person?: Person; postId?: string } = {},
) {
  const reply = await person.calls(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey: randomUUID() })
  equal(reply.status, 201, JSON.stringify(reply.body))
  return checkoutOf(world, reply.body)
}

/** A started checkout, the holder of its credential, and where it is paid. */
export function checkoutOf(
  world: Market['world'],
  body: {
    readonly checkout: { readonly id: string }
    readonly checkoutCredential: string
    readonly payment: { readonly address: string }
  },
) {
  const holder = new Person(world, nextAddress(), body.checkoutCredential)
  const params = { checkoutId: body.checkout.id }
  return {
    body,
    id: body.checkout.id,
    holder,
    params,
    address: body.payment.address,
    async reads() {
      const { status, body: read } = await holder.calls(getCheckout, { params })
      equal(status, 200, JSON.stringify(read))
      return read
    },
  }
}

/** Sends from a wallet, and waits until it is confirmed. */
export async function sendsFrom(
  { network }: Market,
  wallet: NanoWallet,
  address: string,
  raw: bigint,
): Promise<string> {
  const hash = await wallet.sends(address, raw)
  await network.untilConfirmed(hash)
  return hash
}
