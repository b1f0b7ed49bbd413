import { createHmac, randomInt, randomUUID } from 'node:crypto'
import { amountOf } from '@pennypost/contract/money'
import type { startNanoTransfer as declared } from '@pennypost/contract/transfer-logins'
import { paymentUri } from '@pennypost/nano/payment-uri'
import type { Tx } from '../../platform/database/database.ts'
import { allocateAddress, journalAddress, withNextAddress } from '../../rails/nano/custody/addresses.ts'
import { requireNano } from '../../rails/nano/require-nano.ts'
import type { AccountServices, Handler } from '../services.ts'
import type { ProofUse } from './challenge-store.ts'
import { proofUseOf } from './proof-use.ts'
import {
  addTransfer,
  findFreeAmount,
  lockTransferByRequest,
  type NewTransfer,
  type Transfer,
} from './transfer-store.ts'
import { loginSecret } from './wallet-login-secrets.ts'

const transferLifeMs = 15 * 60_000
// A millionth of an XNO. Every wallet lets people type six decimals.
const step = 10n ** 24n
const fewestSteps = 1_000
const maxSteps = 50_000
const tries = 20

const notice =
  'Pay from a wallet that you alone hold, never from an exchange: its wallet is shared by many people. ' +
  'Send exactly this amount; it comes back to the sender.'

export const startNanoTransfer: Handler<typeof declared> = async (services, { caller, body, origin }) => {
  requireNano(services)
  const use = proofUseOf(caller, body.confirms)
  const requestHash = createHmac('sha256', services.secrets.key('transfer-request'))
    .update(`${use.accountId}\n${body.requestSecret}${body.confirms ? `\n${body.confirms}` : ''}`)
    .digest()
  const transfer = await withNextAddress(services, () =>
    services.db
      .transaction()
      .execute(
        async (tx) => (await lockTransferByRequest(tx, requestHash)) ?? openTransfer(services, tx, requestHash, use),
      ),
  )
  await journalAddress(services, transfer.address)
  return {
    status: 201,
    body: {
      transferId: transfer.id,
      loginSecret: loginSecret.of(services.secrets, transfer.id),
      address: transfer.address,
      amountRaw: transfer.amount_raw,
      uri: paymentUri(transfer.address, BigInt(transfer.amount_raw), {
        label: services.site.settings().name,
        message: 'Proof of your wallet, sent back',
      }),
      expiresAt: transfer.expires_at.toISOString(),
      statusUrl: `${origin}/api/v1/auth/nano/transfers/${transfer.id}`,
      notice,
    },
  }
}

async function openTransfer(
  services: AccountServices,
  tx: Tx,
  request_hash: Buffer,
  { purpose, accountId }: ProofUse,
): Promise<Transfer> {
  const now = services.clock.now()
  const expires_at = new Date(now.getTime() + transferLifeMs)
  const address = await allocateAddress(services, tx, {
    purpose: 'transfer',
    leastRaw: amountOf('XNO', step),
    expiresAt: expires_at,
  })
  const transfer: Omit<NewTransfer, 'amount_raw'> = {
    id: randomUUID(),
    request_hash,
    account_id: accountId,
    address_id: address.id,
    created_at: now,
    expires_at,
    purpose,
  }
  const amounts = Array.from({ length: tries }, () => step * BigInt(randomInt(fewestSteps, maxSteps)))
  // Different amounts are easier to tell apart for people who see several. They need not differ: the address does.
  const amount = (await findFreeAmount(tx, amounts, now)) ?? amounts[0]
  return addTransfer(tx, { ...transfer, amount_raw: String(amount) })
}
