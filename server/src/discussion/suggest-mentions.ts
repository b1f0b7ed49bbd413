import type {
  suggestMentions as declared,
  suggestMentionsPublicly as declaredPublic,
  MentionQuery,
} from '@pennypost/contract/mentions'
import type pg from 'pg'
import type { Handler } from '../services.ts'
import { listPeopleByHandle, listPeopleByPrefix } from './mention-store.ts'
import { personView } from './person-view.ts'

export const suggestMentions: Handler<typeof declared> = async ({ pool }, { query }) => ({
  status: 200,
  body: await suggest(pool, query),
})

export const suggestMentionsPublicly: Handler<typeof declaredPublic> = async ({ pool }, { query }) => ({
  status: 200,
  body: await suggest(pool, query),
})

async function suggest(pool: pg.Pool, { q, mode, limit }: MentionQuery) {
  const people = mode === 'exact' ? await listPeopleByHandle(pool, q) : await listPeopleByPrefix(pool, q, limit)
  return { items: people.map(personView) }
}
