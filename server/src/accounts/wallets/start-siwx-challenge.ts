import { validation } from '@pennypost/contract/errors'
import type { startSiwxChallenge as declared } from '@pennypost/contract/siwx-logins'
import { refuse } from '../../platform/http/refuse.ts'
import { parseBaseAddress } from '../../rails/base/parse-base-address.ts'
import type { Handler } from '../services.ts'
import { addChallenge } from './challenge-store.ts'
import { proofUseOf } from './proof-use.ts'
import { siwxInfoOf, siwxTextOf } from './siwx-challenge.ts'

export const startSiwxChallenge: Handler<typeof declared> = async (services, { caller, body, origin }) => {
  const { db, clock, origins } = services
  const requested = {
    kind: 'evm',
    address: parseBaseAddress(body.address) ?? refuseAddress(),
    service: new URL(origin).host,
    use: proofUseOf(caller, body.confirms),
  } as const
  const challenge = await addChallenge(db, requested, clock.now())
  return {
    status: 201,
    body: {
      challengeId: challenge.id,
      message: siwxTextOf(origins, challenge),
      info: siwxInfoOf(origins, challenge),
      expiresAt: challenge.expires_at.toISOString(),
    },
  }
}

const refuseAddress = (): never =>
  refuse(validation, { errors: [{ field: 'address', code: 'invalid_format', message: 'must be an address on Base' }] })
