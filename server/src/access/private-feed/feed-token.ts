import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, as they appear in the feed's URL. */
export const newFeedToken = (): string => randomBytes(32).toString('base64url')

/** The hash of the token that is stored. The token has enough entropy to need neither salt nor a slow hash. */
export const feedTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
