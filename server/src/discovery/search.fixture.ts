import { equal } from 'node:assert/strict'
import { listPublicPosts } from '@pennypost/contract/discovery'
import type { Person } from '../test/person.ts'

/** The titles that a search finds, in order. */
export async function search(
  reader: Person,
  q: string,
  query: object = {},
): Promise<{ found: string[]; total: number; body: unknown }> {
  const { status, body } = await reader.sends(listPublicPosts, { query: { q, ...query } })
  equal(status, 200, JSON.stringify(body))
  return { found: body.data.map(({ title }: { title: string }) => title), total: body.total, body }
}
