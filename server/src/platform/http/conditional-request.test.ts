import { equal, match, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { etagOf, isNotModified } from './conditional-request.ts'

test('an ETag depends on its parts and their boundaries', () => {
  match(etagOf('a'), /^W\/"[\w-]{27}"$/)
  equal(etagOf('ab', 'c'), etagOf('ab', 'c'))
  notEqual(etagOf('ab', 'c'), etagOf('a', 'bc'))
})

test('If-None-Match matches any ETag of a list, weak or strong', () => {
  const reply = { etag: 'W/"abc"', 'last-modified': 'Sun, 15 Nov 2026 12:00:00 GMT' }
  for (const held of ['W/"abc"', '"abc"', '*', ' * ', '"x", W/"abc"', 'W/"x","abc"'])
    equal(isNotModified({ 'if-none-match': held }, reply), true, held)
  for (const held of ['"ab"', 'abc', '', '"x", "y"', '"a"bc"', 'W/"ABC"'])
    equal(isNotModified({ 'if-none-match': held }, reply), false, held)
  equal(isNotModified({ 'if-none-match': '*' }, {}), false)
})

test('without If-None-Match the time decides; an invalid time is ignored', () => {
  const reply = { etag: '"abc"', 'last-modified': 'Sun, 15 Nov 2026 12:00:00 GMT' }
  const since = (time: string) => isNotModified({ 'if-modified-since': time }, reply)
  equal(since('Sun, 15 Nov 2026 12:00:00 GMT'), true)
  equal(since('Sun, 15 Nov 2026 12:00:01 GMT'), true)
  equal(since('Sun, 15 Nov 2026 11:59:59 GMT'), false)
  equal(since('nonsense'), false)
  equal(isNotModified({}, reply), false)
  equal(isNotModified({ 'if-modified-since': 'Sun, 15 Nov 2026 12:00:00 GMT' }, { etag: '"abc"' }), false)
})
