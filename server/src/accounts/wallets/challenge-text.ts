import type { Challenge } from './challenge-store.ts'

// What wallets are given to sign. ASCII, since wallets disagree about anything else, and on one line, since text fields
// change line ends. Always longer than what a block's hash is made of (176 bytes), so it can be no block either.

const purposes = {
  sign_in: () => 'sign in',
  link: ({ account_id }: Challenge) => `link this wallet to account ${account_id}`,
} as const

const purposeOf = (challenge: Challenge): string => purposes[challenge.purpose](challenge)

/** The text of a challenge, the same every time. The id is its nonce. */
export const challengeMessage = (challenge: Challenge): string =>
  `${challenge.service} asks the Nano account ${challenge.address} to ${purposeOf(challenge)}. ` +
  `This costs nothing and sends nothing. Nonce: ${challenge.id}. ` +
  `Issued: ${challenge.created_at.toISOString()}. Expires: ${challenge.expires_at.toISOString()}.`

/** What a `nanoauth:` wallet shows, and signs between its own time and the account. */
const linkLabel = (challenge: Challenge): string =>
  `${challenge.service}: ${purposeOf(challenge)}, nonce ${challenge.id}, until ${challenge.expires_at.toISOString()}`

/** The link that Nautilus opens. It needs every one of these fields. */
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

// Phones go a little wrong. The nonce is what makes an answer fresh, so this need not be strict.
const clockToleranceSeconds = 300

/**
 * The text that a wallet says it signed, if it is the one we asked for: everything but its own time is put together
 * again here. Undefined otherwise.
 */
export function answeredText(challenge: Challenge, formatted: string): string | undefined {
  const time = /^\d{10}(?=:)/.exec(formatted)?.[0]
  if (time === undefined) return undefined
  const earliest = unixSeconds(challenge.created_at) - clockToleranceSeconds
  const latest = unixSeconds(challenge.expires_at) + clockToleranceSeconds
  if (Number(time) < earliest || Number(time) > latest) return undefined
  const expected = `${time}:${linkLabel(challenge)}:${challenge.address}`
  return formatted === expected ? expected : undefined
}

const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
