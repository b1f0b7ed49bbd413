import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { SettlerAccount } from '../base/payment/settler-account.ts'
import type { Hex } from '../base/rpc/chain-replies.ts'
import { createCircuitBreaker } from '../circuit-breaker.ts'
import type { Derivation } from '../nano/custody/keyring.ts'
import { MalformedReply, NodeRefusal, NodeUnreachable, SignerAway, SignerSecretRefused } from '../node-errors.ts'
import { postJson } from '../post-json.ts'
import { type BlockSigner, SignatureWaits } from './signer.ts'

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as Hex)

// What the signer is asked, and what it replies. `payments/signing/serve-signer.ts` serves it.
export const AddressesRequest = z.object({
  derivations: z.array(z.object({ id: z.string().max(20), derivation: z.string().max(200).nullable() })).max(100),
})
export const BlockRequest = z.object({
  addressId: z.string().regex(/^\d{1,19}$/),
  work: z
    .string()
    .regex(/^[0-9a-fA-F]{16}$/)
    .optional(),
})
const quantity = z
  .string()
  .regex(/^\d{1,30}$/)
  .transform(BigInt)
export const TransactionRequest = z.object({
  to: hex,
  data: hex,
  gas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  nonce: z.int().min(0),
})

const Status = z.object({
  first: z.string(),
  house: z.string(),
  settler: hex.nullable(),
  /** The advisory lock that the signer holds in its database. None while it is not connected, and from older signers. */
  databaseLock: z.int().nullish(),
})
export type SignerStatus = z.infer<typeof Status>
const Addresses = z.object({ first: z.string(), addresses: z.array(z.string()) })
const Block = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signed'), hash: z.string() }),
  z.object({ kind: z.literal('nothing') }),
  z.object({ kind: z.literal('lacks-work'), root: z.string(), step: z.enum(['send', 'receive']) }),
  z.object({ kind: z.literal('waits'), reason: z.string() }),
  z.object({ kind: z.literal('refused'), sendId: z.string(), reason: z.string() }),
])
const Transaction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signed'), raw: hex }),
  z.object({ kind: z.enum(['waits', 'refused']), reason: z.string() }),
])
const Failure = z.object({ error: z.string() })
/** The error of a reply to a request with another `SIGNER_SECRET`. */
export const secretRefused = 'SIGNER_SECRET is another one'

/** The process with `ROLE=signer`, as others see it. Every call throws SignerAway while it cannot be reached. */
export interface SignerClient extends BlockSigner {
  readonly account: SettlerAccount
  /** Asks even while the circuit breaker is open, and throws the original error, for diagnosis. */
  status(signal?: AbortSignal): Promise<SignerStatus>
  /** The addresses, and the first address of the signer's seed. */
  addressesOf(derivations: readonly Derivation[]): Promise<{ first: string; addresses: string[] }>
  /** Whether calls are rejected, after repeated failures. */
  isAway(): boolean
}

/** For a call and its repetition together. */
const timeoutMs = 8_000

export interface SignerPlace {
  readonly url: string
  readonly secret: string
}

export function connectSigner({ url, secret }: SignerPlace, parts: { clock: Clock; log: Log }): SignerClient {
  const breaker = createCircuitBreaker('the signer', parts)
  const headers = { authorization: `Bearer ${secret}` }

  async function ask<T>(path: string, request: unknown, reply: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    const deadline = AbortSignal.timeout(timeoutMs)
    const options = {
      target: 'signer',
      timeoutMs,
      headers,
      acceptsStatus,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    } as const
    const post = () => postJson(new URL(path, url).href, path, request, options)
    const found = await post().catch((error: unknown) => {
      // A balancer may still have sent it to a signer that has just stopped. Another one may take it.
      if (error instanceof NodeUnreachable && !error.mayHaveHeard) return post()
      throw error
    })
    const failure = Failure.safeParse(found)
    if (failure.success) {
      const { error } = failure.data
      throw error === secretRefused ? new SignerSecretRefused(error) : new SignerAway(error)
    }
    const { success, data } = reply.safeParse(found)
    if (!success) throw new MalformedReply(`${path}: the reply is not one of our signer`)
    return data
  }

  async function call<T>(path: string, request: unknown, reply: z.ZodType<T>): Promise<T> {
    try {
      return await breaker.run(path, () => ask(path, request, reply))
    } catch (error) {
      throw new SignerAway(`the signer: ${(error as Error).message}`)
    }
  }

  let settler: Promise<Hex> | undefined
  const account: SettlerAccount = {
    async address() {
      if (breaker.isOpen()) throw new SignerAway('the signer is away')
      settler ??= call('/status', {}, Status).then(({ settler: found }) => {
        if (found) return found
        throw new SignerAway('the signer has no BASE_SETTLER_KEY')
      })
      settler.catch(() => {
        settler = undefined
      })
      return settler
    },
    async sign(transaction) {
      const { to, data, nonce } = transaction
      const [gas, maxFeePerGas, maxPriorityFeePerGas] = [
        transaction.gas,
        transaction.maxFeePerGas,
        transaction.maxPriorityFeePerGas,
      ].map(String)
      const request = { to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }
      const signed = await call('/base/transactions', request, Transaction)
      if (signed.kind === 'signed') return signed.raw
      if (signed.kind === 'waits') throw new SignatureWaits(signed.reason)
      throw new NodeRefusal(`the signer refuses the transaction: ${signed.reason}`)
    },
  }

  return {
    account,
    status: (signal) => ask('/status', {}, Status, signal),
    addressesOf: (derivations) =>
      call('/addresses', { derivations: derivations.map(({ id, derivation }) => ({ id, derivation })) }, Addresses),
    signNextBlock: (addressId, work) => call('/nano/blocks', { addressId, work }, Block),
    isAway: () => breaker.isOpen(),
  }
}

// These have a body that says what is wrong.
const acceptsStatus = (status: number): boolean => [400, 401, 503].includes(status)
