import type {
  suggestMentions as declared,
  suggestMentionsPublicly as declaredPublic,
  MentionQuery,
} from '@pennypost/contract/mention-suggestions'
import type pg from 'pg'
import { personView } from '../accounts/person-view.ts'
import { listPeopleByHandle, listPeopleByPrefix } from './mention-store.ts'
import type { Handler } from './services.ts'

export const suggestMentions: Handler<typeof declared> = async ({ pool }, { query, origin }) => ({
  status: 200,
  body: await suggest(pool, query, origin),
})

export const suggestMentionsPublicly: Handler<typeof declaredPublic> = async ({ pool }, { query, origin }) => ({
  status: 200,
  body: await suggest(pool, query, origin),
})

async function suggest(pool: pg.Pool, { q, mode, limit }: MentionQuery, origin: string) {
  const people = mode === 'exact' ? await listPeopleByHandle(pool, q) : await listPeopleByPrefix(pool, q, limit)
  return { items: people.map((person) => personView(person, origin)) }
}
