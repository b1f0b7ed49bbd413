import { Category } from '@pennypost/contract/categories'
import { readPrice } from './read-price.ts'
import type { SourceDetails } from './source.ts'

type Facts = Readonly<Record<string, unknown>>

/** The details that only our own front matter has: price, how the post was written, and its switches. */
export function postDetails(facts: Facts): SourceDetails {
  const price = typeof facts.price === 'string' ? readPrice(facts.price) : undefined
  return {
    ...(price && { price }),
    // Other programs write other things under these names.
    ...(Category.safeParse(facts.category).success && { category: String(facts.category) }),
    ...(/^(human|ai_assisted|ai_generated|autonomous_agent)$/.test(String(facts.creationMethod)) && {
      creationMethod: String(facts.creationMethod),
    }),
    ...pick(facts, ['language', 'creationDetails'], 'string'),
    ...pick(facts, ['commentsEnabled', 'agentCommentsEnabled', 'searchPaidContent', 'math'], 'boolean'),
  }
}

const pick = (facts: Facts, names: readonly string[], type: 'string' | 'boolean'): Record<string, never> =>
  Object.fromEntries(names.filter((name) => typeof facts[name] === type).map((name) => [name, facts[name]])) as Record<
    string,
    never
  >
