import { unknownProgram } from '@pennypost/contract/oauth'
import { refuse } from '../platform/http/refuse.ts'
import type { Client } from './client.ts'
import { readRegisteredClient } from './registered-client.ts'
import type { OAuthServices } from './services.ts'

/** Finds the program that a `client_id` names: by the document at this URL, or by its registration. */
export async function findClient({ secrets, clientDocuments }: OAuthServices, id: string): Promise<Client> {
  if (id.startsWith('https://')) return clientDocuments.read(id)
  return readRegisteredClient(secrets, id) ?? refuse(unknownProgram)
}

/** Whether this can be the `client_id` of a program, without a request to another server. */
export const isClientId = ({ secrets }: Pick<OAuthServices, 'secrets'>, id: string): boolean =>
  id.startsWith('https://') || readRegisteredClient(secrets, id) !== undefined
