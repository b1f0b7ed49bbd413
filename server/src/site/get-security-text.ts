import { type getSecurityText as declared, noSecurityContact } from '@pennypost/contract/crawler-files'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

const validMs = 90 * 86_400_000

/** Clients must ignore a file that has expired (RFC 9116), so it is always valid for another three months. */
export const getSecurityText: Handler<typeof declared> = async ({ config, clock }, { origin }) => ({
  status: 200,
  body: `Contact: ${config.securityContact ?? refuse(noSecurityContact)}
Expires: ${new Date(clock.now().getTime() + validMs).toISOString()}
Canonical: ${origin}/.well-known/security.txt
Preferred-Languages: en
`,
})
