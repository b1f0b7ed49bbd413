import { randomBytes } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { nanoAddress } from '@pennypost/nano/address'
import { bytesOf } from '@pennypost/nano/hex'
import { deriveSecretKey, type KeyPair, keyPairOf } from '@pennypost/nano/keys'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../platform/database/database.ts'
import { publicKeyOf } from './public-key.ts'

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

export const randomNonce = (): string => randomBytes(nonceBytes).toString('hex')

/** Derives keys from a seed. By default commission goes to the seed's first address. */
export function keyringFrom(seedHex: string, house?: string): Keyring {
  const seed = bytesOf(seedHex, seedBytes)
  // A text is hashed with the seed as the hash's key, so it never collides with an index of a wallet.
  const secretKeyOf = ({ id, derivation }: Derivation) =>
    derivation === null
      ? deriveSecretKey(seed, Number(id))
      : blake2b(new TextEncoder().encode(derivation), { key: seed, dkLen: seedBytes })
  // Deriving an address takes a quarter of a millisecond, and every audit looks at the same hundred addresses after the last of each run.
  const addresses = new LRUCache<string, string>({ maxSize: maxKnownAddresses, sizeCalculation: () => 1 })
  const addressOfKey = (wanted: Derivation): string => {
    const key = nameOf(wanted)
    const known = addresses.get(key)
    if (known !== undefined) return known
    const address = nanoAddress(publicKeyOf(secretKeyOf(wanted)))
    addresses.set(key, address)
    return address
  }
  const first = addressOfKey({ id: '0', derivation: null })
  return {
    secretKeyOf,
    addressOf: addressOfKey,
    keyPairOf: (derivation) => keyPairOf(secretKeyOf(derivation)),
    first,
    house: house ?? first,
  }
}

/** A text that reads like an index is not that index. */
export const nameOf = ({ id, derivation }: Derivation): string =>
  derivation === null ? `index ${id}` : `text ${derivation}`

/** Our own addresses, for a process that has the seed. */
export const addressesFrom = (keyring: Keyring, verify: OwnAddresses['verify']): OwnAddresses => ({
  addressesOf: async (derivations) => derivations.map((each) => keyring.addressOf(each)),
  knows: () => true,
  newOfferNonce: async () => randomNonce(),
  house: async () => keyring.house,
  isOn: () => true,
  verify,
})
