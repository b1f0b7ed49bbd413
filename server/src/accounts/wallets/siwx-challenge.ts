import type { Origins } from '../../platform/http/origins.ts'
import { type SiwxInfo, siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import type { Challenge } from './challenge-store.ts'

const statements = {
  sign_in: () => 'Sign in. This costs nothing and sends nothing.',
  link: ({ account_id }: Challenge) =>
    `Link this wallet to account ${account_id}. This costs nothing and sends nothing.`,
  export: ({ account_id }: Challenge) =>
    `Export all data of account ${account_id}. This costs nothing and sends nothing.`,
  deletion: ({ account_id }: Challenge) =>
    `Delete account ${account_id} for good. This costs nothing and sends nothing.`,
} as const

/** The message that a Base wallet signs. It is always the same for one challenge, whose id is the nonce. */
export const siwxInfoOf = (origins: Origins, challenge: Challenge) =>
  ({
    domain: challenge.service,
    uri: `${origins.of(challenge.service)}/api/v1/auth/siwx/verify`,
    version: '1',
    chainId: 'eip155:8453',
    nonce: challenge.id.replaceAll('-', ''),
    issuedAt: challenge.created_at.toISOString(),
    expirationTime: challenge.expires_at.toISOString(),
    statement: statements[challenge.purpose](challenge),
  }) as const satisfies SiwxInfo

export const siwxTextOf = (origins: Origins, challenge: Challenge): string =>
  siwxMessage(siwxInfoOf(origins, challenge), challenge.address)

/** The id of the challenge with this nonce: the same digits with hyphens. */
export const challengeIdIn = (nonce: string): string =>
  nonce.toLowerCase().replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/, '$1-$2-$3-$4-$5')
