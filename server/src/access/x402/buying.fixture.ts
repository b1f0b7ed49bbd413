import { equal } from 'node:assert/strict'
import { getAccess } from '@pennypost/contract/access'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { linkTo, type StateBlock } from '@pennypost/nano/block'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import type { Person } from '../../test/world.ts'

// What a program does that buys through x402.

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

export const jsonOf = (reply: { headers: Headers }, header: string) => {
  const text = reply.headers.get(header)
  return text === null ? null : JSON.parse(Buffer.from(text, 'base64').toString())
}

/** The requirement of a new quote on this network. */
export async function quoteFor(
  person: Person,
  postId: string,
  network: PaymentRequirements['network'] = 'nano:mainnet',
): Promise<PaymentRequirements> {
  const reply = await person.calls(getAccess, { params: { postId } })
  equal(reply.status, 402)
  return reply.body.accepts.find((accepted: PaymentRequirements) => accepted.network === network)
}

export const signature = (accepted: object, payload: object) => ({
  'payment-signature': base64({ x402Version: 2, payload, accepted }),
})

export const presents = (person: Person, postId: string, accepted: object, payload: object, query = {}) =>
  person.calls(getAccess, { params: { postId }, query, headers: signature(accepted, payload) })

/** A signed send of the quote's amount to its address, or of what the test wants instead. */
export async function sendBlock(
  { wallet, balance }: { wallet: NanoWallet; balance: bigint },
  { payTo, amount }: { readonly payTo: string; readonly amount: string | bigint },
): Promise<StateBlock> {
  return wallet.next({ balance: balance - BigInt(amount), link: linkTo(payTo) })
}
