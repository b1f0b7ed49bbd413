import { boundSecret } from '../../platform/bound-secret.ts'

/** Given to the client that started a challenge. */
export const pollSecret = boundSecret('svcps_', 'challenge-poll')

/** Given to the client that started a transfer login. */
export const loginSecret = boundSecret('svcls_', 'transfer-login')
