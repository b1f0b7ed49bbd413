import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { isRaw, isStateBlock, type StateBlock } from '@pennypost/nano/block'
import { parseHex } from '@pennypost/nano/hex'
import { LedgerRefusal } from './ledger.ts'

// A real node reads every value as text, so `true` and `"true"` are the same, and so are 5 and "5".

/** Returns the list, or '' if it is empty: that is how a real node writes an empty list or object. */
export const emptyAsText = (list: object): unknown => (Object.keys(list).length > 0 ? list : '')

export type RpcRequest = Readonly<Record<string, unknown>>

export const textOf = (request: RpcRequest, name: string): string | undefined => {
  const value = request[name]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

export const flagOf = (request: RpcRequest, name: string, otherwise = false): boolean => {
  const text = textOf(request, name)
  return text === undefined ? otherwise : text === 'true' || text === '1'
}

export const accountOf = (request: RpcRequest): string => addressOf(textOf(request, 'account') ?? '')

export function accountsOf({ accounts }: RpcRequest): string[] {
  if (!Array.isArray(accounts)) throw new LedgerRefusal('Unable to parse JSON')
  return accounts.map((account) => addressOf(String(account)))
}

function addressOf(text: string): string {
  const key = parseNanoAddress(text)
  if (!key) throw new LedgerRefusal('Bad account number')
  return nanoAddress(key)
}

export function hashOf(text: unknown): string {
  if (typeof text !== 'string' || !parseHex(text, 32)) throw new LedgerRefusal('Invalid block hash')
  return text.toUpperCase()
}

/** Reads a count. -1 means all, as on a real node. It may be missing if there is a default. */
export function countOf(request: RpcRequest, name: string, otherwise: number | undefined): number {
  const text = textOf(request, name)
  if (text === undefined && otherwise !== undefined) return otherwise
  if (text === '-1') return Number.POSITIVE_INFINITY
  if (text === undefined || !/^\d{1,15}$/.test(text)) {
    throw new LedgerRefusal(name === 'offset' ? 'Invalid offset' : 'Invalid count limit')
  }
  return Number(text)
}

export function thresholdOf(request: RpcRequest): bigint {
  const text = textOf(request, 'threshold') ?? '0'
  if (!isRaw(text)) throw new LedgerRefusal('Bad threshold number')
  return BigInt(text)
}

/** Reads the block of a `process` request and normalizes it. Ignores `link_as_account`, like a real node. */
export function blockOf(request: RpcRequest): StateBlock {
  const given = flagOf(request, 'json_block') ? request.block : parsed(request.block)
  const fields = given as Record<keyof StateBlock, unknown> | undefined
  const text = (name: keyof StateBlock) => String(fields?.[name] ?? '')
  const block: StateBlock = {
    type: text('type') as 'state',
    account: text('account'),
    previous: text('previous').toUpperCase(),
    representative: text('representative'),
    balance: text('balance'),
    link: text('link').toUpperCase(),
    signature: text('signature').toUpperCase(),
    work: text('work').toLowerCase(),
  }
  if (!isStateBlock(block)) throw new LedgerRefusal('Block is invalid')
  return { ...block, account: respelled(block.account), representative: respelled(block.representative) }
}

const respelled = (address: string): string => nanoAddress(parseNanoAddress(address)!)

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    throw new LedgerRefusal('Block is invalid')
  }
}
