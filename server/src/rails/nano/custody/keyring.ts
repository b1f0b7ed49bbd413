import { randomBytes } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { nanoAddress } from '@pennypost/nano/address'
import { bytesOf } from '@pennypost/nano/hex'
import { deriveSecretKey, type KeyPair, keyPairOf, publicKeyOf } from '@pennypost/nano/keys'
import type { Config } from '../../../platform/config.ts'
import { readOrCreateSecret, StartError } from '../../../platform/data-dir.ts'
import type { Db } from '../../../platform/database/database.ts'
import { bindSeed } from './custody-store.ts'

/** How a key is derived from the seed: by its index, as in any wallet, or by a text. */
export interface Derivation {
  readonly id: string
  readonly derivation: string | null
}

/** The keys of our own addresses. They are derived from one seed and exist only in memory. */
export interface Keyring {
  secretKeyOf(derivation: Derivation): Uint8Array
  keyPairOf(derivation: Derivation): KeyPair
  addressOf(derivation: Derivation): string
  /** Where commission goes. */
  readonly house: string
}

const seedBytes = 32

/** Opens the keyring from the setting, else from a seed that is created once and kept in DATA_DIR. */
export async function openKeyring({ dataDir, nano }: Config): Promise<Keyring> {
  const seed =
    nano.seed ?? (await readOrCreateSecret(dataDir, 'nano-seed', () => randomBytes(seedBytes).toString('hex')))
  if (!/^[0-9a-fA-F]{64}$/.test(seed)) throw new StartError(`${dataDir}/nano-seed: is not a seed; restore it`)
  return keyringFrom(seed, nano.houseAddress)
}

export function keyringFrom(seedHex: string, house?: string): Keyring {
  const seed = bytesOf(seedHex, seedBytes)
  // A text is hashed with the seed as the hash's key, so it never collides with an index of a wallet.
  const secretKeyOf = ({ id, derivation }: Derivation) =>
    derivation === null
      ? deriveSecretKey(seed, Number(id))
      : blake2b(new TextEncoder().encode(derivation), { key: seed, dkLen: seedBytes })
  const addressOf = (derivation: Derivation) => nanoAddress(publicKeyOf(secretKeyOf(derivation)))
  return {
    secretKeyOf,
    addressOf,
    keyPairOf: (derivation) => keyPairOf(secretKeyOf(derivation)),
    house: house ?? addressOf({ id: '0', derivation: null }),
  }
}

/**
 * Refuses to start with another seed than the one that made our addresses: their money could not be moved. The
 * first process binds its seed to the database; of two that start together with different seeds, one does not start.
 */
export async function verifyKeyring(db: Db, keyring: Keyring): Promise<void> {
  const newest = db.selectFrom('nano_addresses').select(['id', 'derivation', 'address']).orderBy('id', 'desc')
  const known = await newest.executeTakeFirst()
  const first = keyring.addressOf({ id: '0', derivation: null })
  const isOurs = !known || keyring.addressOf(known) === known.address
  if (!isOurs || (await bindSeed(db, first)) !== first) {
    throw new StartError('NANO_SEED: the addresses in the database are of another seed')
  }
}
