import type { Db } from '../../../platform/database/database.ts'
import type { Derivation, OwnAddresses } from './keyring.ts'

interface Parts {
  readonly db: Db
  readonly addresses: OwnAddresses
}

/**
 * Our own addresses, from the database if they are stored there. `beforeAsking` is called before the signer is asked for
 * one that is not known.
 */
export const storedFirst = ({ db, addresses }: Parts, beforeAsking: () => Promise<void>): OwnAddresses => ({
  ...addresses,
  async addressesOf(derivations) {
    if (derivations.every(addresses.knows)) return addresses.addressesOf(derivations)
    const stored = await storedAddresses(db, derivations)
    if (stored) return stored
    await beforeAsking()
    return addresses.addressesOf(derivations)
  },
})

/**
 * Undefined if not all of them are stored. An address is stored when it is given out, or when a payment for its offer is
 * accepted.
 */
async function storedAddresses(db: Db, derivations: readonly Derivation[]): Promise<string[] | undefined> {
  const texts = derivations.flatMap(({ derivation }) => derivation ?? [])
  const rows = await db
    .selectFrom('nano_addresses')
    .select(['derivation', 'address'])
    .where('derivation', 'in', texts)
    .execute()
  const byText = new Map(rows.map(({ derivation, address }) => [derivation, address]))
  const found = derivations.flatMap(({ derivation }) => byText.get(derivation) ?? [])
  return found.length === derivations.length ? found : undefined
}
