import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytesAhead } from './random-bytes-ahead.ts'

test('random bytes are given out once, and stay what they are', () => {
  const given = Array.from({ length: 5_000 }, (_, index) => randomBytesAhead(11 + (index % 6)))
  const texts = given.map((bytes) => bytes.toString('hex', 0, 11))
  equal(new Set(texts).size, given.length)
  equal(
    given.every((bytes, index) => bytes.length === 11 + (index % 6)),
    true,
  )
  // More than is kept ahead.
  const many = randomBytesAhead(10_000)
  equal(many.length, 10_000)
  equal(
    given.every((bytes, index) => bytes.toString('hex', 0, 11) === texts[index]),
    true,
  )
})
