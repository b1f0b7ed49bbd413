import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf } from './errors.ts'

test('an error without a readable body still has a status, a code and a sentence', () => {
  for (const body of [undefined, new Uint8Array([60]), 'text', null, [], { data: null }]) {
    const error = errorOf('getPost', 502, new Headers({ 'x-request-id': 'r-1' }), body)
    deepEqual([error.status, error.code, error.requestId, error.fieldErrors], [502, 'http-502', 'r-1', []])
    equal(error.message, 'getPost: 502 http-502: The service replied with an error.')
  }
})

test('Retry-After may be seconds or a date, and the body may say it too', () => {
  const waits = (retryAfter: string | undefined, body: object = {}) =>
    errorOf('x', 429, new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }), body)
      .retryAfterSeconds
  deepEqual([waits('7'), waits('nonsense'), waits(undefined)], [7, undefined, undefined])
  equal(waits(undefined, { data: { code: 'rate_limited', retryAfter: 9 } }), 9)
  equal(Math.round(waits(new Date(Date.now() + 60_000).toUTCString())! / 10), 6)
})
