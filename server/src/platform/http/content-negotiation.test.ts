import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { namedCoding, prefersMediaType } from './content-negotiation.ts'

test('a media type is preferred only when it is named and wanted at least as much as the default', () => {
  const expected: [string | undefined, boolean][] = [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/*;q=0.5, */*;q=0.1', false],
    ['text/html, application/json', false],
    ['text/markdown', true],
    ['text/markdown, */*', true],
    ['text/html, text/markdown', true],
    ['text/markdown;q=0.9, text/html', false],
    ['TEXT/Markdown ; Q=0.3, text/html;q=0.3', true],
    ['TEXT/Markdown ; Q=0.3, text/*', false],
    ['text/markdown;q=0.3, text/*;q=0.2, */*', true],
    ['text/markdown;variant=GFM;q=0.7, text/html;q=0.7', true],
    ['text/markdown;variant=GFM;q=0.7, text/html;q=0.8', false],
    ['text/markdown;q=0, */*', false],
    ['text/markdown;q=0', false],
    ['text/markdown;q=2', false],
    ['text/markdown;q=nonsense', false],
    [',,;;q=,text/markdown', true],
  ]
  for (const [accept, isPreferred] of expected)
    equal(prefersMediaType(accept, 'text/markdown', 'text/html'), isPreferred, accept ?? 'none')
})

test('a content coding must be named, with a weight above zero; our order decides between two', () => {
  const expected: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['deflate', undefined],
    ['gzip, deflate', 'gzip'],
    ['br', 'br'],
    ['gzip, BR;q=0.1', 'br'],
    ['br;q=0, *', undefined],
    ['br;q=nonsense, gzip', 'gzip'],
  ]
  for (const [acceptEncoding, coding] of expected)
    equal(namedCoding(acceptEncoding, ['br', 'gzip']), coding, acceptEncoding)
})
