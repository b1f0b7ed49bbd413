import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { prefersMarkdown } from './show-post.ts'

test('Markdown is for those who name it and want no page more', () => {
  const expected: [string | undefined, boolean][] = [
    [undefined, false],
    ['*/*', false],
    ['text/*', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['text/markdown', true],
    ['text/markdown, text/html;q=0.9', true],
    ['text/markdown, text/html, */*', true],
    ['text/html, text/markdown;q=0.9', false],
    ['text/markdown;q=0.5, */*;q=0.8', false],
    ['text/markdown;q=0', false],
    ['application/json', false],
  ]
  for (const [accept, prefers] of expected) equal(prefersMarkdown(accept), prefers, accept ?? 'none')
})
