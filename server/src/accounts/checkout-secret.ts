import { boundSecret } from '../platform/bound-secret.ts'

/** Given to the client that started a checkout. It is declared here because it is also a credential. */
export const checkoutSecret = boundSecret('svccc_', 'checkout')
