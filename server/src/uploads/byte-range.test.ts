import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { parseByteRange } from './byte-range.ts'

test('a range is one stretch of the bytes; nonsense asks for everything', () => {
  const cases: [string | undefined, ReturnType<typeof parseByteRange>][] = [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-5', { start: 2, end: 5 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=2-99', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    ['bytes=5-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,4-5', undefined],
    ['bytes=a-b', undefined],
    ['items=0-1', undefined],
  ]
  for (const [header, expected] of cases) deepEqual(parseByteRange(header, 10), expected, header)
})
