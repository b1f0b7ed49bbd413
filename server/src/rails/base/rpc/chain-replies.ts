import { z } from 'zod'

// Strict schemas for node replies. A reply that does not match is rejected; we never guess.

export type Hex = `0x${string}`

const hex = (digits: string, what: string) =>
  z.string().regex(new RegExp(`^0x${digits}$`), `is not a valid ${what}`) as unknown as z.ZodType<Hex, string>

export const Bytes = hex('([0-9a-fA-F]{2})*', 'data')
export const Quantity = hex('[0-9a-fA-F]{1,64}', 'number').transform(BigInt)
export const Count = Quantity.refine((value) => value <= 0xffff_ffffn, 'is too large').transform(Number)
/** Lower case, because they are compared as text. */
export const Hash = hex('[0-9a-fA-F]{64}', 'hash').transform((text) => text.toLowerCase() as Hex)
const Address = hex('[0-9a-fA-F]{40}', 'address').transform((text) => text.toLowerCase() as Hex)

export const Block = z
  .object({ number: Quantity, timestamp: Quantity, baseFeePerGas: Quantity })
  .transform(({ number, timestamp, baseFeePerGas }) => ({ number, timestamp, baseFee: baseFeePerGas }))
export type Block = z.infer<typeof Block>

const Log = z
  .object({ address: Address, topics: z.array(Hash), data: Bytes, transactionHash: Hash, logIndex: Count })
  .transform(({ address, topics, data, transactionHash, logIndex }) => ({
    address,
    topics,
    data,
    transactionHash,
    logIndex,
  }))
export type ChainLog = z.infer<typeof Log>

/** The value that each topic must have, or several alternatives. */
export type Topics = readonly (Hex | readonly Hex[])[]

/** Accepts only logs that were requested. */
export const logsOf = (address: string, topics: Topics) =>
  z.array(
    Log.refine(
      (log) =>
        log.address === address.toLowerCase() &&
        topics.every((topic, index) => [topic].flat().includes(log.topics[index]!)),
      'is another log',
    ),
  )

export interface Receipt {
  readonly isSuccess: boolean
  readonly blockNumber: bigint
  /** The fee that its sender paid, in wei. */
  readonly fee: bigint
  /** In chain order. */
  readonly logs: readonly ChainLog[]
}

/** Null if the node knows no block with this transaction. */
export const receiptOf = (hash: string) =>
  z
    .object({
      transactionHash: Hash.refine((text) => text === hash.toLowerCase(), 'is of another transaction'),
      status: z.enum(['0x0', '0x1']),
      blockNumber: Quantity,
      gasUsed: Quantity,
      effectiveGasPrice: Quantity,
      // Base adds what it costs to write the transaction to Ethereum.
      l1Fee: Quantity.nullish(),
      logs: z.array(Log.refine((log) => log.transactionHash === hash.toLowerCase(), 'is of another transaction')),
    })
    .transform(
      ({ status, blockNumber, gasUsed, effectiveGasPrice, l1Fee, logs }): Receipt => ({
        isSuccess: status === '0x1',
        blockNumber,
        fee: gasUsed * effectiveGasPrice + (l1Fee ?? 0n),
        logs: logs.toSorted((left, right) => left.logIndex - right.logIndex),
      }),
    )
    .nullable()

/** Whether the node knows the transaction, mined or pending. */
export const transactionOf = (hash: string) =>
  z
    .object({ hash: Hash.refine((text) => text === hash.toLowerCase(), 'is another transaction') })
    .nullable()
    .transform((found) => found !== null)
