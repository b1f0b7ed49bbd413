import { randomBytes } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { nanoAddress } from '@pennypost/nano/address'
import { bytesOf } from '@pennypost/nano/hex'
import { deriveSecretKey, type KeyPair, keyPairOf } from '@pennypost/nano/keys'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../platform/database/database.ts'
import { publicKeysOf } from './public-key.ts'

/** How a key is derived from the seed: by its index, as in any wallet, or by a text. */
export interface Derivation {
  readonly id: string
  readonly derivation: string | null
}

/** The keys of our own addresses. They are derived from one seed and exist only in memory, in the process that signs. */
export interface Keyring {
  secretKeyOf(derivation: Derivation): Uint8Array
  keyPairOf(derivation: Derivation): KeyPair
  addressOf(derivation: Derivation): string
  /** In the same order. Together they take a third less time than one by one. */
  addressesOf(derivations: readonly Derivation[]): string[]
  /** The seed's first address, by which the seed is known. */
  readonly first: string
  /** The address that commission goes to. */
  readonly house: string
}

/** Our own addresses, without their keys: derived in this process, or by the signer. */
export interface OwnAddresses {
  /** In the same order. Throws NodeUnreachable while the signer is away, unless they are known already. */
  addressesOf(derivations: readonly Derivation[]): Promise<string[]>
  /** Whether an address can be had without asking anyone. */
  knows(derivation: Derivation): boolean
  /** A random number for a new x402 offer, in hexadecimal digits. The signer's addresses for some are fetched ahead. */
  newOfferNonce(): Promise<string>
  /** The address that commission goes to. */
  house(): Promise<string>
  /** Whether addresses can be given out now. */
  isOn(): boolean
  /** Throws a StartError if the database belongs to another seed than the one in this process. */
  verify(db: Db): Promise<void>
}

export const addressOf = async (addresses: Pick<OwnAddresses, 'addressesOf'>, wanted: Derivation): Promise<string> =>
  (await addresses.addressesOf([wanted]))[0]!

export const seedBytes = 32
const nonceBytes = 16
const maxKnownAddresses = 5_000
/** For how many offers addresses are derived together. A request that needs the first of them waits for two milliseconds. */
const noncesAhead = 16

export const randomNonce = (): string => randomBytes(nonceBytes).toString('hex')

/** How the key of an offer's address is derived. */
export const offerDerivation = (nonce: string): Derivation & { readonly derivation: string } => ({
  id: '0',
  derivation: `x402:${nonce}`,
})

/** Derives keys from a seed. By default commission goes to the seed's first address. */
export function keyringFrom(seedHex: string, house?: string): Keyring {
  const seed = bytesOf(seedHex, seedBytes)
  // A text is hashed with the seed as the hash's key, so it never collides with an index of a wallet.
  const secretKeyOf = ({ id, derivation }: Derivation) =>
    derivation === null
      ? deriveSecretKey(seed, Number(id))
      : blake2b(new TextEncoder().encode(derivation), { key: seed, dkLen: seedBytes })
  // Deriving an address takes a fifth of a millisecond, and every audit looks at the same hundred addresses after the last of each run.
  const known = new LRUCache<string, string>({ maxSize: maxKnownAddresses, sizeCalculation: () => 1 })
  const addressesOf = (wanted: readonly Derivation[]): string[] => {
    const found = wanted.map((each) => known.get(nameOf(each)))
    const missing = wanted.filter((_, index) => found[index] === undefined)
    if (missing.length === 0) return found as string[]
    const derived = publicKeysOf(missing.map(secretKeyOf)).map(nanoAddress)
    for (const [index, each] of missing.entries()) known.set(nameOf(each), derived[index]!)
    let next = 0
    return found.map((address) => address ?? derived[next++]!)
  }
  const addressOfKey = (wanted: Derivation): string => addressesOf([wanted])[0]!
  const first = addressOfKey({ id: '0', derivation: null })
  return {
    secretKeyOf,
    addressOf: addressOfKey,
    addressesOf,
    keyPairOf: (derivation) => keyPairOf(secretKeyOf(derivation)),
    first,
    house: house ?? first,
  }
}

/** A text that reads like an index is not that index. */
export const nameOf = ({ id, derivation }: Derivation): string =>
  derivation === null ? `index ${id}` : `text ${derivation}`

/** Our own addresses, for a process that has the seed. */
export function addressesFrom(keyring: Keyring, verify: OwnAddresses['verify']): OwnAddresses {
  /** Random numbers whose addresses the keyring knows, for the next offers. */
  const nonces: string[] = []
  return {
    addressesOf: async (derivations) => keyring.addressesOf(derivations),
    knows: () => true,
    async newOfferNonce() {
      if (nonces.length === 0) {
        nonces.push(...Array.from({ length: noncesAhead }, randomNonce))
        keyring.addressesOf(nonces.map(offerDerivation))
      }
      return nonces.pop()!
    },
    house: async () => keyring.house,
    isOn: () => true,
    verify,
  }
}
