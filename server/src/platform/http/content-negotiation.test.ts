import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { wish } from './content-negotiation.ts'

test('the most exact range decides how much a type is wanted', () => {
  const expected: [string | undefined, number, boolean][] = [
    [undefined, 1, false],
    ['', 1, false],
    ['*/*', 1, false],
    ['text/*;q=0.5, */*;q=0.1', 0.5, false],
    ['TEXT/Markdown ; Q=0.3, text/*', 0.3, true],
    ['text/html, application/json', 0, false],
    ['text/markdown;variant=GFM;q=0.7', 0.7, true],
    ['text/markdown;q=0, */*', 0, true],
    ['text/markdown;q=2', 0, true],
    ['text/markdown;q=nonsense', 0, true],
    [',,;;q=,text/markdown', 1, true],
  ]
  for (const [accept, quality, isNamed] of expected)
    deepEqual(wish(accept, 'text/markdown'), { quality, isNamed }, accept ?? 'none')
})
