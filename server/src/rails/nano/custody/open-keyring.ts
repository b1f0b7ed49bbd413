import { randomBytes } from 'node:crypto'
import type { Generated } from 'kysely'
import { readOrCreateSecret, StartError } from '../../../platform/data-dir.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { ProcessConfig } from '../../../platform/settings.ts'
import type { SignerConfig } from '../../signer/settings.ts'
import type { NanoConfig } from '../settings.ts'
import { loadKeyFunctions } from './key-functions.ts'
import { type Keyring, keyringFrom, seedBytes } from './keyring.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_seed: { id: Generated<number>; first_address: string }
  }
}

/**
 * Opens the keyring from the setting, else from a seed in DATA_DIR. The seed is created once, but not for a database that
 * has addresses of another one.
 */
export async function openKeyring(
  { dataDir, nano }: NanoConfig & Pick<ProcessConfig, 'dataDir'>,
  db: Db,
  log: Pick<Log, 'warn'>,
): Promise<Keyring> {
  const create = async () => {
    if (await hasSeed(db))
      throw new StartError(
        'DATA_DIR: nano-seed is missing, and this database was used with one; restore it from a backup, or set NANO_SEED',
      )
    return randomBytes(seedBytes).toString('hex')
  }
  const seed = nano.seed ?? (await readOrCreateSecret(dataDir, 'nano-seed', create))
  if (!/^[0-9a-fA-F]{64}$/.test(seed))
    throw new StartError(`${dataDir}/nano-seed: this is not a seed. Restore the file from a backup`)
  const functions = await loadKeyFunctions((cause) =>
    log.warn(
      { cause },
      'libsodium cannot be used: addresses are computed in JavaScript, which takes ten times as long',
    ),
  )
  return keyringFrom(seed, nano.houseAddress, functions)
}

/** Where the seed is, if it is not in DATA_DIR and so in no backup of it. Undefined if it is there. */
export function seedElsewhere({ nano, signer }: NanoConfig & SignerConfig): string | undefined {
  if (signer.url !== undefined) return 'the signer has it'
  return nano.seed === undefined ? undefined : 'it is in NANO_SEED'
}

/**
 * Refuses to start with a seed other than the one that made our addresses, because their money could not be moved. The
 * first process binds its seed to the database. Of two that start at the same time with different seeds, one fails.
 */
export async function verifyKeyring(db: Db, keyring: Keyring): Promise<void> {
  const newest = db.selectFrom('nano_addresses').select(['id', 'derivation', 'address']).orderBy('id', 'desc')
  const known = await newest.executeTakeFirst()
  const { first } = keyring
  const isOurs = !known || keyring.addressOf(known) === known.address
  if (!isOurs || (await bindSeed(db, first)) !== first) {
    throw new StartError('NANO_SEED: the addresses in the database were made with another seed')
  }
}

/** Binds the database to the seed of this first address, unless it is already bound. Returns the bound address. */
async function bindSeed(db: Db, firstAddress: string): Promise<string> {
  await db
    .insertInto('nano_seed')
    .values({ first_address: firstAddress })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return (await readFirstAddress(db))!
}

/** An older database has addresses and was not bound. */
const hasSeed = async (db: Db): Promise<boolean> =>
  (await readFirstAddress(db)) !== undefined ||
  (await db.selectFrom('nano_addresses').select('id').limit(1).executeTakeFirst()) !== undefined

/** The first address of the seed that the database belongs to. Undefined before the first start. */
export const readFirstAddress = async (db: Db): Promise<string | undefined> =>
  (await db.selectFrom('nano_seed').select('first_address').executeTakeFirst())?.first_address
