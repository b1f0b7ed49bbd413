import { LRUCache } from 'lru-cache'
import type { Db } from '../../platform/database/database.ts'
import { entriesAtMost } from '../../platform/entries-at-most.ts'
import type { Log } from '../../platform/log.ts'
import { derivationOf, parseRunDerivation } from '../nano/custody/addresses.ts'
import { type Derivation, nameOf, type OwnAddresses, offerDerivation, randomNonce } from '../nano/custody/keyring.ts'
import { readFirstAddress } from '../nano/custody/open-keyring.ts'
import { SignerAway } from '../node-errors.ts'
import type { SignerClient } from './signer-client.ts'

const maxKnown = 5_000
/** How many addresses are fetched together. Deriving one takes the signer a tenth of a millisecond. */
const batch = 50

interface Parts {
  readonly signer: Pick<SignerClient, 'addressesOf' | 'isAway'>
  readonly db: Db
  readonly log: Log
  /** `HOUSE_NANO_ADDRESS`. The signer has the last word. */
  readonly house: string | undefined
}

/**
 * Our own addresses for a process without the seed. It asks the signer for some ahead and keeps them in memory: the next
 * ones of this process's run, and those of the next offers. None of them is in the database before it is given out, so no restored
 * database gives one out again.
 */
export function createRemoteAddresses({ signer, db, log, house }: Parts): OwnAddresses {
  const known = new LRUCache<string, string>(entriesAtMost(maxKnown))
  /** Random numbers whose addresses are known, for the next offers. */
  const nonces: string[] = []
  let first: string | undefined
  let fetchingNonces: Promise<void> | undefined
  const fetchingRuns = new Map<string, Promise<void>>()

  async function firstAddress(): Promise<string> {
    first ??= await readFirstAddress(db)
    if (first === undefined) throw new SignerAway('no signer was started with this database yet')
    return first
  }

  async function fetch(derivations: readonly Derivation[]): Promise<void> {
    const { first: ofSigner, addresses } = await signer.addressesOf(derivations)
    // Money at addresses of another seed could not be moved.
    if (ofSigner !== (await firstAddress()) || addresses.length !== derivations.length)
      throw new SignerAway('the signer at SIGNER_URL has another seed than this database')
    for (const [index, each] of derivations.entries()) known.set(nameOf(each), addresses[index]!)
  }

  /** Fetches addresses for new offers. Calls at the same time share one request. */
  function fetchNonces(): Promise<void> {
    fetchingNonces ??= (async () => {
      const fresh = Array.from({ length: batch }, randomNonce)
      await fetch(fresh.map(offerDerivation))
      nonces.push(...fresh)
    })().finally(() => {
      fetchingNonces = undefined
    })
    return fetchingNonces
  }

  /** The batch of a run that this derivation is in. Undefined if it is not of a run. */
  function batchOf({ derivation }: Derivation): { name: string; derivations: Derivation[] } | undefined {
    const found = derivation === null ? undefined : parseRunDerivation(derivation)
    if (!found) return undefined
    const from = found.number - (found.number % batch)
    const derivations = Array.from({ length: batch }, (_, offset) => ({
      id: '0',
      derivation: derivationOf(found.run, from + offset),
    }))
    return { name: derivations[0]!.derivation, derivations }
  }

  function fetchBatch({ name, derivations }: NonNullable<ReturnType<typeof batchOf>>): Promise<void> {
    const fetching = fetchingRuns.get(name) ?? fetch(derivations).finally(() => fetchingRuns.delete(name))
    fetchingRuns.set(name, fetching)
    return fetching
  }

  const inBackground = (fetching: Promise<void>): void => {
    fetching.catch((error: Error) => log.debug({ cause: error.message }, 'addresses could not be fetched ahead'))
  }

  return {
    async addressesOf(derivations) {
      const missing = derivations.filter((each) => !known.has(nameOf(each)))
      const [alone, ...others] = missing
      const ahead = alone && others.length === 0 ? batchOf(alone) : undefined
      if (ahead) await fetchBatch(ahead)
      else for (let at = 0; at < missing.length; at += batch) await fetch(missing.slice(at, at + batch))
      const only = derivations.length === 1 ? parseRunDerivation(derivations[0]!.derivation ?? '') : undefined
      // Half of a batch is used: the next one is fetched before it is needed.
      if (only && only.number % batch === batch / 2) {
        const next = batchOf({ id: '0', derivation: derivationOf(only.run, only.number + batch) })!
        if (!known.has(nameOf(next.derivations[0]!))) inBackground(fetchBatch(next))
      }
      return derivations.map((each) => known.get(nameOf(each))!)
    },
    knows: (derivation) => known.has(nameOf(derivation)),
    async newOfferNonce() {
      if (nonces.length <= batch / 2) inBackground(fetchNonces())
      while (nonces.length === 0) await fetchNonces()
      return nonces.shift()!
    },
    house: async () => house ?? firstAddress(),
    isOn: () => !signer.isAway() || nonces.length > 0,
    async verify() {},
  }
}
