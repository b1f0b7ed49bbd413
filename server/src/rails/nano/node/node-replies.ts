import { type Amount, amountOf } from '@pennypost/contract/money'
import { parseNanoAddress } from '@pennypost/nano/address'
import { hashBlock, isRaw, isStateBlock, type StateBlock, zeroHash } from '@pennypost/nano/block'
import { z } from 'zod'

// Strict schemas for node replies. Numbers and booleans come as text, and an empty list comes as ''. A reply that does not
// match is rejected; we never guess.

export const Hash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'is not a hash')
  .toUpperCase()
const Raw = z
  .string()
  .refine(isRaw, 'is not an amount')
  .transform((digits) => amountOf('XNO', digits))
const Address = z.string().transform((text, context) => {
  // Most of the time of a large reply goes into these checksums, so each is computed once.
  if (parseNanoAddress(text)) return text.replace(/^xrb_/, 'nano_')
  context.addIssue({ code: 'custom', message: 'is not an address' })
  return z.NEVER
})
const Count = z
  .union([z.string().regex(/^\d{1,15}$/, 'is not a number'), z.number().int().nonnegative()])
  .transform(Number)
const Flag = z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => value === true || value === 'true')

const nothing = z.literal('')
const listOf = <T extends z.ZodType>(item: T) => z.union([nothing.transform(() => []), z.array(item)])
const recordBy = <T extends z.ZodType>(key: z.ZodType<string, string>, item: T) =>
  z.union([nothing.transform(() => ({}) as Record<string, z.output<T>>), z.record(key, item)])
const recordOf = <T extends z.ZodType>(item: T) => recordBy(Hash, item)

export const AccountInfo = z
  .object({
    frontier: Hash,
    balance: Raw,
    representative: Address,
    block_count: Count,
    confirmed_balance: Raw,
    confirmed_height: Count,
    confirmed_frontier: z.union([nothing.transform(() => zeroHash), Hash]),
  })
  .transform((reply) => ({
    frontier: reply.frontier,
    balance: reply.balance,
    representative: reply.representative,
    blockCount: reply.block_count,
    confirmedFrontier: reply.confirmed_frontier,
    confirmedBalance: reply.confirmed_balance,
    confirmedHeight: reply.confirmed_height,
  }))
export type AccountInfo = z.infer<typeof AccountInfo>

export interface Receivable {
  readonly hash: string
  readonly amount: Amount<'XNO'>
  readonly source: string
}

const Receivables = recordOf(z.object({ amount: Raw, source: Address })).transform((blocks) =>
  Object.entries(blocks)
    .map(([hash, entry]): Receivable => ({ hash, ...entry }))
    .sort((left, right) => (left.amount < right.amount ? 1 : left.amount > right.amount ? -1 : 0)),
)
// Built once: a schema is compiled when it first parses, which takes longer than parsing.
const ReceivableReply = z.object({ blocks: Receivables })
const ReceivablesReply = z.object({ blocks: recordBy(Address, Receivables) })
const tooLittle = { code: 'custom', message: 'less than the threshold' } as const

/** Sorts them, largest first. An amount below the requested threshold is rejected. */
export const receivableAtLeast = (threshold: bigint) =>
  ReceivableReply.transform(({ blocks }, context) => {
    if (blocks.some(({ amount }) => amount < threshold)) context.addIssue(tooLittle)
    return blocks
  })

/** The same for several accounts. A node omits those without receivables. An account that was not requested is rejected. */
export const receivablesAtLeast = (threshold: bigint, accounts: ReadonlySet<string>) =>
  ReceivablesReply.transform(({ blocks }, context) => {
    const found = new Map(Object.entries(blocks))
    if ([...found.values()].flat().some(({ amount }) => amount < threshold)) context.addIssue(tooLittle)
    if ([...found.keys()].some((account) => !accounts.has(account))) {
      context.addIssue({ code: 'custom', message: 'is another account' })
    }
    return found
  })

const AccountBalance = z.object({ balance: Raw, receivable: Raw })
export type AccountBalance = z.infer<typeof AccountBalance>
const BalancesReply = z.object({ balances: recordBy(Address, AccountBalance) })

/** A reply that lacks one of the requested accounts is rejected: silence is not an empty account. */
export const balancesFor = (accounts: readonly string[]) =>
  BalancesReply.transform(({ balances }, context) => {
    const found = new Map(Object.entries(balances))
    if (accounts.some((account) => !found.has(account))) {
      context.addIssue({ code: 'custom', message: 'lacks an account' })
    }
    return found
  })

/** The last block of each account that has one. A node names the others under `errors`. */
export const Frontiers = z
  .object({ frontiers: recordBy(Address, Hash).optional() })
  .transform(({ frontiers = {} }): ReadonlyMap<string, string> => new Map(Object.entries(frontiers)))

export interface BlockInfo {
  readonly hash: string
  readonly account: string
  /** Undefined if the node has pruned the block before it. */
  readonly amount: Amount<'XNO'> | undefined
  readonly balance: Amount<'XNO'>
  readonly height: number
  readonly isConfirmed: boolean
  readonly subtype: string | undefined
  readonly successor: string | undefined
  /** Undefined for blocks of the legacy types. */
  readonly contents: StateBlock | undefined
}

const Contents = z.looseObject({ type: z.string() }).transform((contents, context) => {
  if (contents.type !== 'state') return undefined
  const block = contents as unknown as StateBlock
  if (StateBlockText.safeParse(block).success && isStateBlock(block)) return block
  context.addIssue({ code: 'custom', message: 'is not a state block' })
  return z.NEVER
})
const StateBlockText = z.object({
  account: z.string(),
  previous: z.string(),
  representative: z.string(),
  balance: z.string(),
  link: z.string(),
  signature: z.string(),
  work: z.string(),
})

const BlockEntry = z.object({
  block_account: Address,
  amount: Raw.optional(),
  balance: Raw,
  height: Count,
  confirmed: Flag,
  subtype: z.string().optional(),
  successor: Hash.optional(),
  contents: Contents,
})

/** The requested block. Its hash is computed from its contents, so a node cannot substitute another one. */
function blockInfoOf(hash: string, entry: z.infer<typeof BlockEntry>): BlockInfo | undefined {
  const { contents, successor } = entry
  if (contents && (hashBlock(contents) !== hash || BigInt(contents.balance) !== entry.balance)) return undefined
  return {
    hash,
    contents,
    account: entry.block_account,
    amount: entry.amount,
    balance: entry.balance,
    height: entry.height,
    isConfirmed: entry.confirmed,
    subtype: entry.subtype,
    successor: successor === zeroHash ? undefined : successor,
  }
}

const BlocksReply = z.object({ blocks: recordOf(BlockEntry), blocks_not_found: listOf(Hash).optional() })
const anotherBlock = { code: 'custom', message: 'is another block' } as const

export const blockInfoFor = (hash: string) =>
  BlockEntry.transform((entry, context) => {
    const info = blockInfoOf(hash, entry)
    if (info) return info
    context.addIssue(anotherBlock)
    return z.NEVER
  })

/** Every requested hash must be either found or reported missing. A reply that omits or adds one is rejected. */
export const blockInfosFor = (hashes: readonly string[]) =>
  BlocksReply.transform(({ blocks, blocks_not_found: missing = [] }, context) => {
    const infos = new Map<string, BlockInfo>()
    for (const [hash, entry] of Object.entries(blocks)) {
      const info = blockInfoOf(hash, entry)
      if (info && hashes.includes(hash)) infos.set(hash, info)
      else context.addIssue(anotherBlock)
    }
    if (hashes.some((hash) => !infos.has(hash) && !missing.includes(hash))) {
      context.addIssue({ code: 'custom', message: 'a block is neither found nor reported missing' })
    }
    return infos
  })

export const AccountHistory = z
  .object({
    history: listOf(
      z.object({
        type: z.string(),
        account: Address,
        amount: Raw,
        hash: Hash,
        height: Count,
        confirmed: Flag,
        local_timestamp: Count,
      }),
    ),
    previous: Hash.optional(),
  })
  .transform(({ history, previous }) => ({
    entries: history.map(({ confirmed, local_timestamp, ...entry }) => ({
      ...entry,
      isConfirmed: confirmed,
      seenAt: new Date(local_timestamp * 1000),
    })),
    /** Where the next page begins. */
    next: previous,
  }))
export type AccountHistory = z.infer<typeof AccountHistory>

/** `network_identifier` is the hash of the network's genesis block. */
export const Version = z.looseObject({
  network: z.string().optional(),
  network_identifier: z.string().optional(),
})

/** How many blocks the node has, and how many of them are confirmed. */
export const BlockCount = z
  .object({ count: Count, cemented: Count.optional() })
  .transform(({ count, cemented = count }) => ({ count, confirmed: cemented }))
