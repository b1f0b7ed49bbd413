import { z } from 'zod'
import { Uuid } from './schemas.ts'

/** §4: at most so many entries, of at most so many people. */
const mostEntries = 20
const mostPeople = 5

const MentionInput = z.strictObject({
  profileId: Uuid,
  handle: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,30}$/, 'must be a handle')
    .toLowerCase(),
})

/** A person bound to the `@handle` that stands in a text. */
export const Mention = z.object({ profileId: Uuid, handle: z.string() }).meta({ id: 'Mention' })
export type Mention = z.infer<typeof Mention>

/** Bindings as a client sends them; what comes out has each person once, in the order first named. */
export const MentionList = z
  .array(MentionInput)
  .max(mostEntries, `must have at most ${mostEntries} entries`)
  .transform((entries, context) => {
    const handles = new Map<string, string>()
    const people = new Map<string, string>()
    for (const { profileId, handle } of entries) {
      if ((handles.get(profileId) ?? handle) !== handle || (people.get(handle) ?? profileId) !== profileId) {
        context.addIssue({ code: 'custom', params: { code: 'conflict' }, message: 'bind one handle to two people' })
        return z.NEVER
      }
      handles.set(profileId, handle)
      people.set(handle, profileId)
    }
    if (handles.size > mostPeople) {
      context.addIssue({
        code: 'custom',
        params: { code: 'too_long' },
        message: `must name at most ${mostPeople} people`,
      })
      return z.NEVER
    }
    return [...handles].map(([profileId, handle]): Mention => ({ profileId, handle }))
  })

const url = /(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{0,30}:\/\/|mailto:|www\.)[^\s<>"]+/gi

// The regular expression's own way to leave case aside would take a Kelvin sign for a k, and a long s for an s.
const inAnyCase = (handle: string): string =>
  handle.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)

/**
 * Whether `@handle` stands in a text as a word of its own: not inside another word, an address of mail or of another
 * network (`@ada@host`), or a link. Handles are ASCII, so case is all that may differ.
 */
export const isMentionedIn = (text: string, handle: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_@/])@${inAnyCase(handle)}(?![\\p{L}\\p{M}\\p{N}_@])`, 'u').test(
    text.replaceAll(url, '/'),
  )

/** A person as those who mention somebody find them, or as a mention shows them. */
export const MentionProfile = z
  .object({ profileId: Uuid, currentHandle: z.string(), name: z.string(), avatarUrl: z.string().nullable() })
  .meta({ id: 'MentionProfile' })
export type MentionProfile = z.infer<typeof MentionProfile>
