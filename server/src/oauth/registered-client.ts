import { z } from 'zod'
import type { Secrets } from '../platform/secrets.ts'
import type { Client } from './client.ts'
import { sealJson, unsealJson } from './sealed-json.ts'

// A program that registered itself. Its id contains its registration, sealed, so nothing is stored: strangers cannot fill a
// table, and no unused registration has to be deleted (RFC 7591, appendix A.5.2).

export const registeredClientPrefix = 'svcoc_'
const purpose = 'oauth-client'
const registration = z.tuple([z.string().nullable(), z.array(z.string())])

export interface Registration {
  readonly name: string | null
  readonly redirectUris: readonly string[]
}

export const registeredClientId = (secrets: Secrets, { name, redirectUris }: Registration): string =>
  registeredClientPrefix + sealJson(secrets, purpose, [name, redirectUris])

export function readRegisteredClient(secrets: Secrets, id: string): Client | undefined {
  if (!id.startsWith(registeredClientPrefix)) return undefined
  const found = unsealJson(secrets, purpose, registration, id.slice(registeredClientPrefix.length))
  return found && { id, name: found[0], host: null, redirectUris: found[1] }
}
