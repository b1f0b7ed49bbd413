import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { operationTable } from './generated/operation-table.ts'
import { Pennypost } from './pennypost.ts'

function clientAt(baseUrl: string) {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input))
    return Response.json({ data: [] })
  }
  return { client: new Pennypost({ baseUrl, fetch }), asked }
}

test('operations are made when they are used, and are otherwise like the members of an object', async () => {
  const { client, asked } = clientAt('https://one.example')
  const { operations } = client
  const names = Object.keys(operationTable)
  deepEqual(Object.keys(operations), names)
  deepEqual(
    Object.entries(operations).map(([name, method]) => [name, typeof method]),
    names.map((name) => [name, 'function']),
  )
  deepEqual(Object.keys({ ...operations }), names)
  ok('listPublicPosts' in operations)
  ok(Object.hasOwn(operations, 'listPublicPosts'))
  for (const other of ['noSuchOperation', 'then', Symbol.iterator, '__proto__x'])
    ok(!(other in operations) && (operations as never)[other] === undefined, String(other))
  equal(String(operations), '[object Object]')
  equal(operations.listPublicPosts, operations.listPublicPosts)
  const { listPublicPosts } = operations
  await listPublicPosts({ query: { q: 'engines' } })
  deepEqual(asked, ['https://one.example/api/posts?q=engines'])
})

test('clients do not share operations, and one can be replaced in a test', async (t) => {
  const one = clientAt('https://one.example')
  const other = clientAt('https://other.example')
  notEqual(one.client.operations.listPublicPosts, other.client.operations.listPublicPosts)
  t.mock.method(one.client.operations, 'listPublicPosts', async () => 'replaced' as never)
  equal(await one.client.operations.listPublicPosts(), 'replaced' as never)
  await other.client.operations.listPublicPosts()
  deepEqual([one.asked, other.asked], [[], ['https://other.example/api/posts']])
})
