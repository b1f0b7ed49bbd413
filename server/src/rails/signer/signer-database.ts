import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { type AdvisoryLock, isLockHeld } from '../../platform/database/advisory-lock.ts'
import type { SignerStatus } from './signer-client.ts'

// A copy of a database has the same seed, and so has any database that was used with the same NANO_SEED. A signer that is still
// connected to it would find nothing to sign. So it holds a lock in its database, and others look for that lock in theirs.

/** Each advisory lock of this class is a signer. */
const lockClass = 20_024

export const createSignerLock = (): AdvisoryLock => ({ classId: lockClass, id: randomInt(1, 2 ** 31 - 1) })

/** Whether the signer is connected to another database than `pool`. False if it does not say to which. */
export const isOfOtherDatabase = async (
  pool: Pick<pg.Pool, 'query'>,
  { databaseLock }: Pick<SignerStatus, 'databaseLock'>,
): Promise<boolean> => databaseLock != null && !(await isLockHeld(pool, { classId: lockClass, id: databaseLock }))
