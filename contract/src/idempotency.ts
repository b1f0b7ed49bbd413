import { z } from 'zod'
import { type Refusal, refusal } from './refusal.ts'
import { Uuid } from './schemas.ts'

/** One way an endpoint understands `Idempotency-Key`. The interface has several, each with its own conflict code. */
export interface IdempotencyFlavour<Required extends boolean = boolean> {
  readonly required: Required
  readonly key: z.ZodType<string>
  readonly description: string
  /** The same key came with another intent. */
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
  'The Idempotency-Key header does not have the form this request asks for.',
)

const flavour = <Required extends boolean>(value: IdempotencyFlavour<Required>): IdempotencyFlavour<Required> => value

/** §8: registration uuid; it becomes the registration's id. */
export const registrationIdempotency = flavour({
  required: true,
  key: Uuid,
  description: 'A uuid; it becomes the registration id.',
  conflict: refusal('idempotency-payload-changed', 422, 'This Idempotency-Key was used with another registration.'),
})

/** §8: 1-255 characters without white space; may be left out. */
export const keyIdempotency = flavour({
  required: false,
  key: z.string().regex(/^[^\s]{1,255}$/u),
  description: '1 to 255 characters without white space. The same key replays the same answer for 24 hours.',
  conflict: refusal('idempotency-conflict', 409, 'This Idempotency-Key was used with another intent.'),
})

/** §4, purchases and tips: the same key is the same payment, for ever. */
export const paymentIdempotency = flavour({
  required: true,
  key: keyIdempotency.key,
  description: '1 to 255 characters without white space, saved by the client before it sends.',
  conflict: keyIdempotency.conflict,
})

/** §4, uploads: 1-255 trimmed non-whitespace characters, required. */
export const uploadIdempotency = flavour({
  required: true,
  key: z
    .string()
    .trim()
    .regex(/^[^\s]{1,255}$/u),
  description: '1 to 255 characters without white space, saved by the client before it sends.',
  conflict: refusal('idempotency-mismatch', 409, 'This Idempotency-Key was used with other bytes or another intent.'),
})

/** §8, discussion: 1-128 visible ASCII characters, required. */
export const discussionIdempotency = flavour({
  required: true,
  key: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  description: '1 to 128 visible ASCII characters.',
  conflict: refusal('idempotency-key-conflict', 409, 'This Idempotency-Key was used with another content.'),
})
