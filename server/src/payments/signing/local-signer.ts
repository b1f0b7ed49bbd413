import { receiverOf } from '@pennypost/nano/block'
import { sql } from 'kysely'
import type { Metrics } from '../../platform/metrics.ts'
import { findAddress } from '../../rails/nano/custody/addresses.ts'
import { findNextSend } from '../../rails/nano/custody/block-store.ts'
import type { Keyring } from '../../rails/nano/custody/keyring.ts'
import { signNextBlock } from '../../rails/nano/custody/sign-next-block.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import type { BlockSigner } from '../../rails/signer/signer.ts'
import type { PaymentServices } from '../services.ts'
import { authorizeSend, type ShownArrival } from './authorize-send.ts'
import { createOwnCount } from './signing-limits.ts'

export interface LocalSignerParts extends Pick<PaymentServices, 'config' | 'db' | 'clock' | 'nano'> {
  readonly keyring: Keyring
  readonly metrics: Pick<Metrics, 'counter'>
  /** Whether other processes ask for signatures. What they wrote to the database is compared with the chain then. */
  readonly isAsked: boolean
}

/** Signs with the keys of this process. */
export function createLocalSigner(parts: LocalSignerParts): BlockSigner {
  const { config, clock, keyring, metrics } = parts
  const outcomes = metrics.counter(
    'nano_signatures',
    'Requests to sign the next block of a Nano address, by outcome: signed, not-stored (signed, then the database failed), nothing, lacks-work, waits or refused.',
    ['outcome'],
  )
  const ownCount = createOwnCount()
  // Prometheus notices the first refusal only if it has seen none before.
  outcomes.inc({ outcome: 'refused' }, 0)
  return {
    async signNextBlock(addressId, work) {
      const shown = parts.isAsked ? await findArrivals(parts, addressId) : undefined
      let isSigned = false
      try {
        const next = await ownCount.during((own) => {
          const rules = { config, clock, house: keyring.house, own, shown }
          const willSign = () => {
            own.keep()
            isSigned = true
          }
          const signing = { ...parts, authorizeSend: authorizeSend.bind(undefined, rules), willSign }
          return signNextBlock(signing, addressId, work)
        })
        outcomes.inc({ outcome: next.kind })
        return next
      } catch (error) {
        if (isSigned) outcomes.inc({ outcome: 'not-stored' })
        throw error
      }
    },
  }
}

// The most payments of one sender to one address that are looked up. If there are more, sending back the rest waits for an
// administrator.
const maxArrivals = 50

/**
 * Asks the chain for the money that the next send returns: who sent how much of it, and what else came from there. Before the
 * transaction, because nodes may be slow.
 */
async function findArrivals({ db, nano }: LocalSignerParts, addressId: string): Promise<Map<string, ShownArrival>> {
  const shown = new Map<string, ShownArrival>()
  const send = await findNextSend(db, addressId)
  const payout =
    send && (await db.selectFrom('payouts').select('arrival_hash').where('id', '=', send.id).executeTakeFirst())
  if (!payout?.arrival_hash) return shown
  const { rows } = await sql<{ hash: string }>`
    SELECT hash FROM nano_arrivals WHERE address_id = ${addressId}
      AND source = (SELECT source FROM nano_arrivals WHERE hash = ${payout.arrival_hash})
    ORDER BY hash <> ${payout.arrival_hash}, amount DESC LIMIT ${maxArrivals}`.execute(db)
  try {
    const [address, found] = [
      await findAddress(db, addressId),
      await nano.client.blocksInfo(rows.map(({ hash }) => hash)),
    ]
    // The contents are what the hash covers; the rest is what a node says.
    for (const [hash, { contents, isConfirmed, amount }] of found)
      if (contents && isConfirmed && amount !== undefined && receiverOf(contents) === address?.address)
        shown.set(hash, { source: contents.account, amount })
  } catch (error) {
    if (!isNodeError(error)) throw error
  }
  return shown
}
