import { createHash, randomBytes } from 'node:crypto'

/** 256 bits that nobody guesses, as they stand in an address. */
export const newFeedToken = (): string => randomBytes(32).toString('base64url')

/** What is kept of it. So much chance needs neither salt nor a slow hash. */
export const feedTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
