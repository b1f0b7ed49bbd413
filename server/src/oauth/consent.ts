import { scopeNames } from '@pennypost/contract/oauth-scopes'
import { z } from 'zod'
import type { Secrets } from '../platform/secrets.ts'
import { sealJson, unsealJson } from './sealed-json.ts'

/**
 * The request that a person is asked to allow, kept from the consent page to the decision. It is sealed into the form,
 * so nothing is stored before the person agrees; it belongs to one session, so no other site can have it sent (CSRF).
 */
const Consent = z.object({
  id: z.uuid(),
  sessionId: z.string(),
  clientId: z.string(),
  clientName: z.string().nullable(),
  clientHost: z.string().nullable(),
  redirectUri: z.string(),
  state: z.string().optional(),
  scopes: z.array(z.enum(scopeNames as [(typeof scopeNames)[number]])),
  resource: z.enum(['api', 'mcp']),
  codeChallenge: z.string(),
  expiresAt: z.number(),
})
export type Consent = z.infer<typeof Consent>

export const consentLifeMs = 10 * 60_000
const purpose = 'oauth-consent'

export const sealConsent = (secrets: Secrets, consent: Consent): string => sealJson(secrets, purpose, consent)

/** Returns undefined if it is not ours or has expired. */
export function readConsent(secrets: Secrets, sealed: string, now: Date): Consent | undefined {
  const consent = unsealJson(secrets, purpose, Consent, sealed)
  return consent && consent.expiresAt > now.getTime() ? consent : undefined
}
