import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from './entries-at-most.ts'

test('a cache keeps so many entries, those that were used last; one that is replaced counts once', () => {
  const cache = new LRUCache<string, string>(entriesAtMost(3))
  for (const key of ['a', 'b', 'c', 'c', 'c']) cache.set(key, key)
  cache.get('a')
  cache.set('d', 'd')
  deepEqual([...cache.keys()], ['d', 'a', 'c'])
  cache.delete('a')
  cache.set('e', 'e')
  deepEqual([...cache.keys()], ['e', 'd', 'c'])
  cache.clear()
  for (const key of ['f', 'g', 'h', 'i']) cache.set(key, key)
  deepEqual([...cache.keys()], ['i', 'h', 'g'])
})
