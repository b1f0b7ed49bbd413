import type { Challenge } from './challenge-store.ts'

// The texts that wallets sign. They are ASCII, because wallets encode other characters differently, and a single line,
// because text fields change line breaks. They are longer than the 176 bytes that a block hash covers, so a signature
// can never be used for a block.

const purposes = {
  sign_in: () => 'sign in',
  link: ({ account_id }: Challenge) => `link this wallet to account ${account_id}`,
  export: ({ account_id }: Challenge) => `export all data of account ${account_id}`,
  deletion: ({ account_id }: Challenge) => `delete account ${account_id} for good`,
} as const

const purposeOf = (challenge: Challenge): string => purposes[challenge.purpose](challenge)

/** The text of a challenge. It is always the same for one challenge, whose id is the nonce. */
export const challengeMessage = (challenge: Challenge): string =>
  `${challenge.service} asks the Nano account ${challenge.address} to ${purposeOf(challenge)}. ` +
  `This costs nothing and sends nothing. Nonce: ${challenge.id}. ` +
  `Issued: ${challenge.created_at.toISOString()}. Expires: ${challenge.expires_at.toISOString()}.`

/** The label that a `nanoauth:` wallet shows. The wallet signs its own time, this label and the account. */
const linkLabel = (challenge: Challenge): string =>
  `${challenge.service}: ${purposeOf(challenge)}, nonce ${challenge.id}, until ${challenge.expires_at.toISOString()}`

/** The link that Nautilus opens. Nautilus needs all of these fields. */
export function challengeUri(challenge: Challenge, replyUrl: string): string {
  const request = {
    account: challenge.address,
    nonce: challenge.id,
    label: linkLabel(challenge),
    message: 'This costs nothing and sends nothing.',
    timestamp: unixSeconds(challenge.created_at),
    format: ['timestamp', 'label', 'account'],
    separator: ':',
    methods: [{ type: 'http', url: replyUrl }],
  }
  return `nanoauth:${Buffer.from(JSON.stringify(request)).toString('base64url')}`
}

// The clocks of phones can be wrong. This need not be strict, because the nonce already prevents replays.
const clockToleranceSeconds = 300

/**
 * Checks that the text a wallet says it signed is the one we asked for, and returns it. Everything except the wallet's
 * own time is rebuilt here and compared. Returns undefined if it differs.
 */
export function verifiedLinkText(challenge: Challenge, formatted: string): string | undefined {
  const time = /^\d{10}(?=:)/.exec(formatted)?.[0]
  if (time === undefined) return undefined
  const earliest = unixSeconds(challenge.created_at) - clockToleranceSeconds
  const latest = unixSeconds(challenge.expires_at) + clockToleranceSeconds
  if (Number(time) < earliest || Number(time) > latest) return undefined
  const expected = `${time}:${linkLabel(challenge)}:${challenge.address}`
  return formatted === expected ? expected : undefined
}

const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
