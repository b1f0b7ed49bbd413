import { z } from 'zod'
import { Uuid } from './schemas.ts'

const maxEntries = 20
const maxPeople = 5

const MentionInput = z.strictObject({
  profileId: Uuid,
  handle: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,30}$/, 'must be a handle')
    .toLowerCase(),
})

/** A profile and the `@handle` that stands for it in a text. */
export const Mention = z.object({ profileId: Uuid, handle: z.string() }).meta({ id: 'Mention' })
export type Mention = z.infer<typeof Mention>

/** Mentions as a client sends them. The parsed list has each person once, in the order of first mention. */
export const MentionList = z
  .array(MentionInput)
  .max(maxEntries, `must have at most ${maxEntries} entries`)
  .transform((entries, context) => {
    const handles = new Map<string, string>()
    const people = new Map<string, string>()
    for (const { profileId, handle } of entries) {
      if ((handles.get(profileId) ?? handle) !== handle || (people.get(handle) ?? profileId) !== profileId) {
        context.addIssue({
          code: 'custom',
          params: { code: 'conflict' },
          message: 'must not use one handle for two people',
        })
        return z.NEVER
      }
      handles.set(profileId, handle)
      people.set(handle, profileId)
    }
    if (handles.size > maxPeople) {
      context.addIssue({
        code: 'custom',
        params: { code: 'too_long' },
        message: `must mention at most ${maxPeople} people`,
      })
      return z.NEVER
    }
    return [...handles].map(([profileId, handle]): Mention => ({ profileId, handle }))
  })

const url = /(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{0,30}:\/\/|mailto:|www\.)[^\s<>"]+/gi

// With the flags `iu`, a regular expression would match the Kelvin sign as k and the long s as s.
const inAnyCase = (handle: string): string =>
  handle.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)

/**
 * Whether a text mentions `@handle` as a separate word, not inside another word, an email address, a fediverse address
 * (`@ada@host`) or a link. Case is ignored.
 */
export const isMentionedIn = (text: string, handle: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_@/])@${inAnyCase(handle)}(?![\\p{L}\\p{M}\\p{N}_@])`, 'u').test(
    text.replaceAll(url, '/'),
  )

/** A person as shown in a mention. */
export const MentionProfile = z
  .object({ profileId: Uuid, currentHandle: z.string(), name: z.string(), avatarUrl: z.string().nullable() })
  .meta({ id: 'MentionProfile' })
export type MentionProfile = z.infer<typeof MentionProfile>
