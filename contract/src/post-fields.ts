import { z } from 'zod'
import { Category } from './categories.ts'
import { AtomicAmount, codePoints, trimmedText } from './schemas.ts'

// The fields of a post that its author writes.

/** A post's `updatedAt` with microseconds. An edit sends the revision it is based on. */
export const Revision = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/, 'must be the updatedAt of the post')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be the updatedAt of the post')
  .meta({ openapi: { type: 'string', format: 'date-time' } })

/** BCP 47, in its canonical spelling; `en`, `en-US` and `en-GB` are three languages. */
const Language = z
  .string()
  .max(35)
  .transform((text, context) => {
    try {
      const [canonical] = Intl.getCanonicalLocales(text)
      // No registered code is longer, but people type "English".
      if (canonical !== undefined && /^[a-z]{2,3}(-|$)/.test(canonical)) return canonical
    } catch {
      // Reported below.
    }
    context.addIssue({
      code: 'custom',
      params: { code: 'invalid_format' },
      message: 'must be a language tag such as en or de-CH',
    })
    return z.NEVER
  })
  .meta({ openapi: { type: 'string', description: 'BCP 47', maxLength: 35 } })

export const CreationMethod = z.enum(['human', 'ai_assisted', 'ai_generated', 'autonomous_agent'])
export const Markdown = z
  .string()
  .refine((text) => codePoints(text) <= 200_000, 'must have at most 200,000 characters')
  .meta({ openapi: { type: 'string', maxLength: 200_000 } })

/** A tag: 1 to 64 code points after normalization. Case is kept, runs of white space become one space. */
const TagName = z
  .string()
  .transform((text) =>
    text
      .normalize('NFC')
      .replaceAll(/\p{White_Space}+/gu, ' ')
      .trim(),
  )
  .refine((name) => codePoints(name) >= 1 && codePoints(name) <= 64, 'must have 1 to 64 characters')
  .meta({ openapi: { type: 'string', minLength: 1, maxLength: 64 } })

/** The URL of a page, in the spelling of browsers. */
const PageUrl = z
  .string()
  .trim()
  .max(2000)
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.href.length <= 2000)
      return url.href
    context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message: 'must be an http or https URL' })
    return z.NEVER
  })
  .meta({ openapi: { type: 'string', format: 'uri', maxLength: 2000 } })

const fields = {
  title: trimmedText(1, 200),
  description: trimmedText(0, 500).nullable(),
  freeContentMarkdown: Markdown.nullable(),
  paidContentMarkdown: Markdown.nullable(),
  enablePaywall: z.boolean(),
  priceCurrency: z.enum(['XNO', 'USDC']).nullable(),
  priceAtomic: AtomicAmount.nullable(),
  priceRaw: AtomicAmount.nullable(),
  category: Category.nullable(),
  language: Language.nullable(),
  creationMethod: CreationMethod.nullable(),
  creationDetails: trimmedText(0, 280).nullable(),
  creationAttested: z.boolean(),
  tags: z.array(TagName).max(10),
  commentsEnabled: z.boolean(),
  agentCommentsEnabled: z.boolean(),
  math: z.boolean().meta({
    description:
      'Whether `$…$` and `$$…$$` are formulas in TeX, shown as MathML. Off by default: most posts mean dollars.',
  }),
  canonicalUrl: PageUrl.nullable().meta({
    description:
      'Where the original of this post is, if it appeared elsewhere first. Search engines list that page instead.',
  }),
  searchPaidContent: z.boolean().meta({
    description:
      'Whether searches also look in the paid content. The results never show any of it, but someone who searches for many words can find out which of them it contains.',
  }),
}

export const PostDraft = z.strictObject(fields).partial().required({ title: true }).meta({ id: 'PostDraft' })
export const PostPatch = z
  .strictObject(fields)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'must change something')
  .meta({ id: 'PostPatch', minProperties: 1 })
export type PostInput = z.output<typeof PostPatch>
