import { z } from 'zod'
import { type Refusal, refusal } from './refusal.ts'
import { Uuid } from './schemas.ts'

/** One set of rules for `Idempotency-Key`. Areas of the API differ in the form of the key and in the conflict code. */
export interface IdempotencyFlavour<Required extends boolean = boolean> {
  readonly required: Required
  readonly key: z.ZodType<string>
  readonly description: string
  /** Given when the same key is used for a different request. */
  readonly conflict: Refusal
}

export const idempotencyKeyRequired = refusal(
  'idempotency-key-required',
  400,
  'This request needs an Idempotency-Key header.',
)
export const idempotencyKeyInvalid = refusal(
  'idempotency-key-invalid',
  400,
  'The Idempotency-Key header has the wrong format for this request.',
)

const flavour = <Required extends boolean>(value: IdempotencyFlavour<Required>): IdempotencyFlavour<Required> => value

/** For registrations: a UUID, which becomes the registration's id. */
export const registrationIdempotency = flavour({
  required: true,
  key: Uuid,
  description: 'A UUID, which becomes the registration id.',
  conflict: refusal(
    'idempotency-payload-changed',
    422,
    'This Idempotency-Key was already used for a different registration.',
  ),
})

/** Optional: 1 to 255 characters without white space. */
export const keyIdempotency = flavour({
  required: false,
  key: z.string().regex(/^[^\s]{1,255}$/u),
  description: '1 to 255 characters without white space. Repeating the key returns the same response for 24 hours.',
  conflict: refusal('idempotency-conflict', 409, 'This Idempotency-Key was already used for a different request.'),
})

/** For purchases and tips: the same key means the same payment, with no time limit. */
export const paymentIdempotency = flavour({
  required: true,
  key: keyIdempotency.key,
  description: '1 to 255 characters without white space. Save the key before you send the request.',
  conflict: keyIdempotency.conflict,
})

/** For uploads: 1 to 255 characters without white space after trimming. */
export const uploadIdempotency = flavour({
  required: true,
  key: z
    .string()
    .trim()
    .regex(/^[^\s]{1,255}$/u),
  description: '1 to 255 characters without white space. Save the key before you send the request.',
  conflict: refusal(
    'idempotency-mismatch',
    409,
    'This Idempotency-Key was already used for different bytes or a different request.',
  ),
})

/** For comments and reports: 1 to 128 visible ASCII characters. */
export const discussionIdempotency = flavour({
  required: true,
  key: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  description: '1 to 128 visible ASCII characters.',
  conflict: refusal('idempotency-key-conflict', 409, 'This Idempotency-Key was already used with different content.'),
})
