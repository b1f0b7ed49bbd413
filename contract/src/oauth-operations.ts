import { disconnectProgram, listConnectedPrograms } from './connected-programs.ts'
import {
  decideConsent,
  getApiResource,
  getAuthorizationServer,
  getMcpResource,
  issueToken,
  registerClient,
  revokeToken,
  showConsent,
} from './oauth.ts'

/** The programs that may act for an account. */
export const oauthOperations = {
  listConnectedPrograms,
  disconnectProgram,
}

/** How programs connect. OAuth libraries find these by their metadata, so they are not in an OpenAPI document. */
export const oauthPages = {
  getApiResource,
  getMcpResource,
  getAuthorizationServer,
  showConsent,
  decideConsent,
  issueToken,
  revokeToken,
  registerClient,
}
