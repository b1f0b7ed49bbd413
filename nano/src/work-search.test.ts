import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, asyncProperty, bigInt, integer, uint8Array } from 'fast-check'
import { upperHex } from './hex.ts'
import { formatWork, workValue } from './work.ts'
import { createWorkSearch } from './work-search.ts'

const root = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
const most = 2n ** 64n

test('the kernel finds every good nonce and no bad one', async () => {
  const search = await createWorkSearch()
  const anyRoot = uint8Array({ minLength: 32, maxLength: 32 })
  await assert(
    asyncProperty(
      anyRoot,
      bigInt({ min: 0n, max: most - 1n }),
      integer({ min: 1, max: 40 }),
      async (key, first, pairs) => {
        const nonces = Array.from({ length: pairs * 2 }, (_, at) => formatWork((first + BigInt(at)) % most))
        const values = nonces.map((nonce) => workValue(upperHex(key), nonce)!)
        const best = values.toSorted((left, right) => (left < right ? 1 : -1))[0]!
        equal(search(upperHex(key), best, first, pairs), nonces[values.indexOf(best)])
        equal(search(upperHex(key), best + 1n, first, pairs), undefined)
        equal(search(upperHex(key), 0n, first, pairs), nonces[0])
      },
    ),
    { numRuns: 60 },
  )
})

test('published work is found again, in either lane', async () => {
  const search = await createWorkSearch()
  for (const first of [0x2bf29ef00786a6bcn, 0x2bf29ef00786a6bbn, 0x2bf29ef00786a000n])
    equal(search(root, 0xffffffd21c3933f4n, first, 1 << 12), '2bf29ef00786a6bc')
})
