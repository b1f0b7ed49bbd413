import { receiverOf } from '@pennypost/nano/block'
import type { Metrics } from '../../platform/metrics.ts'
import { findAddress } from '../../rails/nano/custody/addresses.ts'
import { findNextSend } from '../../rails/nano/custody/block-store.ts'
import type { Keyring } from '../../rails/nano/custody/keyring.ts'
import { signNextBlock } from '../../rails/nano/custody/sign-next-block.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import type { BlockSigner } from '../../rails/signer/signer.ts'
import type { PaymentServices } from '../services.ts'
import { authorizeSend } from './authorize-send.ts'

export interface LocalSignerParts extends Pick<PaymentServices, 'config' | 'db' | 'clock' | 'nano'> {
  readonly keyring: Keyring
  readonly metrics: Pick<Metrics, 'counter'>
  /** Whether others ask for the signatures. Then what they wrote down is compared with the chain. */
  readonly isAsked: boolean
}

/** Signs with the keys of this process. */
export function createLocalSigner(parts: LocalSignerParts): BlockSigner {
  const { config, clock, keyring, metrics } = parts
  const outcomes = metrics.counter(
    'nano_signatures',
    'Requests to sign the next block of a Nano address, by outcome: signed, nothing, lacks-work, waits or refused.',
    ['outcome'],
  )
  return {
    async signNextBlock(addressId, work) {
      const sender = parts.isAsked ? await findSender(parts, addressId) : undefined
      const senderOf = parts.isAsked
        ? (hash: string) => (sender?.hash === hash ? sender.account : undefined)
        : undefined
      const rules = { config, clock, house: keyring.house, senderOf }
      const authorize = { ...parts, authorizeSend: authorizeSend.bind(undefined, rules) }
      const next = await signNextBlock(authorize, addressId, work)
      outcomes.inc({ outcome: next.kind })
      return next
    },
  }
}

/** Asks the chain who sent the money that the next send returns. Before the transaction, because nodes may be slow. */
async function findSender({ db, nano }: LocalSignerParts, addressId: string) {
  const send = await findNextSend(db, addressId)
  const payout =
    send && (await db.selectFrom('payouts').select('arrival_hash').where('id', '=', send.id).executeTakeFirst())
  if (!payout?.arrival_hash) return undefined
  try {
    const [address, info] = [await findAddress(db, addressId), await nano.client.blockInfo(payout.arrival_hash)]
    if (!info?.contents || receiverOf(info.contents) !== address?.address) return undefined
    return { hash: payout.arrival_hash, account: info.account }
  } catch (error) {
    if (isNodeError(error)) return undefined
    throw error
  }
}
