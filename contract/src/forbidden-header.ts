import { z } from 'zod'

/** The schema of a request header that must not be sent. */
export const forbiddenHeader = z.never({ error: 'must not be sent here' }).optional()
