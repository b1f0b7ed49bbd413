import { equal } from 'node:assert/strict'
import { getAccess } from '@pennypost/contract/access'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import type { Person } from '../../test/person.ts'

// The steps of a program that buys through x402.

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
