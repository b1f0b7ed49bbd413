import { boundSecret } from '../platform/bound-secret.ts'

/** The token in a gift link. It has no prefix, since people see it in a URL. */
export const giftToken = boundSecret('', 'gift-link')
