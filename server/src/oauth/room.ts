import type { oauthOperations, oauthPages } from '@pennypost/contract/oauth-operations'
import type { Room } from '../platform/room.ts'
import { disconnectProgram, listConnectedPrograms } from './connected-programs.ts'
import { decideConsent } from './decide-consent.ts'
import { deleteOldGrants } from './delete-old-grants.job.ts'
import { issueToken } from './issue-token.ts'
import { getApiResource, getAuthorizationServer, getMcpResource } from './metadata.ts'
import { registerClient } from './register-client.ts'
import { revokeToken } from './revoke-token.ts'
import { sendConnectedNotice } from './send-connected-notice.job.ts'
import type { OAuthServices } from './services.ts'
import { showConsent } from './show-consent.ts'

export const oauthRoom: Room<typeof oauthOperations & typeof oauthPages, OAuthServices> = {
  handlers: {
    listConnectedPrograms,
    disconnectProgram,
    getApiResource,
    getMcpResource,
    getAuthorizationServer,
    showConsent,
    decideConsent,
    issueToken,
    revokeToken,
    registerClient,
  },
  jobs: [deleteOldGrants, sendConnectedNotice],
}
