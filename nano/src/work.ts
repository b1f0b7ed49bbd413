import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { bytesOf, parseHex } from './hex.ts'

/** The work thresholds of a network: `send` for sends and changes, `receive` for receives and first blocks. */
export interface WorkThresholds {
  readonly send: bigint
  readonly receive: bigint
}

export type NanoNetwork = 'live' | 'dev'

/** The thresholds of the live network, and of a node's private development network. */
export const workThresholds: Readonly<Record<NanoNetwork, WorkThresholds>> = {
  live: { send: 0xfffffff800000000n, receive: 0xfffffe0000000000n },
  dev: { send: 0xffc0000000000000n, receive: 0xf000000000000000n },
}

const rootBytes = 32
const workBytes = 8

/** The value of a proof of work for a root, or undefined if the work is malformed. Both are hexadecimal. */
export function workValue(root: string, work: string): bigint | undefined {
  const nonce = parseHex(work, workBytes)
  if (nonce === undefined) return undefined
  // The work is written big-endian but hashed little-endian. The value is little-endian too.
  const value = blake2b(concatBytes(nonce.reverse(), bytesOf(root, rootBytes)), { dkLen: workBytes })
  return new DataView(value.buffer, value.byteOffset).getBigUint64(0, true)
}

export const isWorkEnough = (root: string, work: string, threshold: bigint): boolean =>
  (workValue(root, work) ?? -1n) >= threshold

/** @example formatWork(0x2bf29ef00786a6bcn) // '2bf29ef00786a6bc' */
export const formatWork = (value: bigint): string => value.toString(16).padStart(workBytes * 2, '0')

/** The average number of hashes it takes to reach a threshold. */
export const expectedHashes = (threshold: bigint): number => Number(2n ** 64n / (2n ** 64n - threshold))
