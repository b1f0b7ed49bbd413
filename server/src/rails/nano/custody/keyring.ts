import { nanoAddress } from '@pennypost/nano/address'
import { bytesOf } from '@pennypost/nano/hex'
import { deriveSecretKey, type KeyPair, keyPairOf } from '@pennypost/nano/keys'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../platform/database/database.ts'
import { entriesAtMost } from '../../../platform/entries-at-most.ts'
import { randomBytesAhead } from '../../../platform/random-bytes-ahead.ts'
import { definedKeys, type KeyFunctions } from './key-functions.ts'

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
  /** In the same order. */
  addressesOf(derivations: readonly Derivation[]): string[]
  /** The seed's first address, by which the seed is known. */
  readonly first: string
  /** The address that commission goes to. */
  readonly house: string
}

/** Our own addresses, without their keys: derived in this process, or by the signer. */
export interface OwnAddresses {
  /** In the same order. Throws NodeUnreachable while the signer is unavailable, unless they are known already. */
  addressesOf(derivations: readonly Derivation[]): Promise<string[]>
  /** Whether an address is known without asking the signer. */
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
const encoder = new TextEncoder()
const nonceBytes = 16
const maxKnownAddresses = 5_000

export const randomNonce = (): string => randomBytesAhead(nonceBytes).toString('hex')

/** How the key of an offer's address is derived. */
export const offerDerivation = (nonce: string): Derivation & { readonly derivation: string } => ({
  id: '0',
  derivation: `x402:${nonce}`,
})

/** Derives keys from a seed. By default commission goes to the seed's first address. */
export function keyringFrom(seedHex: string, house?: string, functions: KeyFunctions = definedKeys): Keyring {
  const seed = bytesOf(seedHex, seedBytes)
  // A text is hashed with the seed as the hash's key, so it never collides with an index of a wallet.
  const secretKeyOf = ({ id, derivation }: Derivation) =>
    derivation === null ? deriveSecretKey(seed, Number(id)) : functions.keyedHash(encoder.encode(derivation), seed)
  // Deriving an address takes a tenth of a millisecond, and every audit looks at the same hundred addresses after the last of each run.
  const known = new LRUCache<string, string>(entriesAtMost(maxKnownAddresses))
  const addressOfKey = (wanted: Derivation): string => {
    const name = nameOf(wanted)
    const found = known.get(name)
    if (found !== undefined) return found
    const address = nanoAddress(functions.publicKeyOf(secretKeyOf(wanted)), functions.checksumOf)
    known.set(name, address)
    return address
  }
  const first = addressOfKey({ id: '0', derivation: null })
  return {
    secretKeyOf,
    addressOf: addressOfKey,
    addressesOf: (wanted) => wanted.map(addressOfKey),
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
  addressesOf: async (derivations) => keyring.addressesOf(derivations),
  knows: () => true,
  newOfferNonce: async () => randomNonce(),
  house: async () => keyring.house,
  isOn: () => true,
  verify,
})
