import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CommentText } from '@pennypost/site/components/comment-text'
import { renderToString } from '@pennypost/site/jsx/markup'
import fc from 'fast-check'
import Markdown from 'markdown-it'
import { xssCorpus } from '../posts/markdown/xss-corpus.fixture.ts'
import { attributeOf, elementsOf, markupErrors, textOf } from './site-world.fixture.ts'

const shown = (text: string, mentioned: Record<string, string> = {}) =>
  renderToString(CommentText({ text, mentioned })).replace(/^<div class="comment-text" dir="auto">(.*)<\/div>$/s, '$1')

const rel = ' rel="nofollow ugc noopener noreferrer"'

test('comments have emphasis, code, links, lists, quotes and blocks of code', () => {
  const cases: Record<string, string> = {
    'Plain text.': '<p>Plain text.</p>',
    'One\nline, \r\n\r\nanother paragraph': '<p>One<br>line,</p><p>another paragraph</p>',
    '*a* _b_ **c** __d__ ***e***':
      '<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em></p>',
    'snake_case_name and 2 * 3 * 4 and **open': '<p>snake_case_name and 2 * 3 * 4 and **open</p>',
    'not \\*em\\* \\<': '<p>not *em* &lt;</p>',
    'code `<b>` and `` a`b ``': '<p>code <code>&lt;b&gt;</code> and <code>a`b</code></p>',
    '[site](https://a.example/x_(y))': `<p><a href="https://a.example/x_(y)"${rel}>site</a></p>`,
    '[*a* b](<https://a.example> "title")': `<p><a href="https://a.example"${rel}><em>a</em> b</a></p>`,
    'See https://a.example/b_c_d?e=1&f. (https://a.example/g)': `<p>See <a href="https://a.example/b_c_d?e=1&amp;f"${rel}>https://a.example/b_c_d?e=1&amp;f</a>. (<a href="https://a.example/g"${rel}>https://a.example/g</a>)</p>`,
    '<https://a.example/>': `<p><a href="https://a.example/"${rel}>https://a.example/</a></p>`,
    '- a\n- b\n  more\n  - c\n\n- d\nend':
      '<ul><li>a</li><li>b<br>more<ul><li>c</li></ul></li><li>d</li></ul><p>end</p>',
    'List:\n3. not a list\n\n3. a\n4. b': '<p>List:<br>3. not a list</p><ol start="3"><li>a</li><li>b</li></ol>',
    '> *a*\n> > b\n>\n> c\nanswer':
      '<blockquote><p><em>a</em></p><blockquote><p>b</p></blockquote><p>c</p></blockquote><p>answer</p>',
    'Code:\n```js\n*a* <b>\n\n  @ada\n```\nafter':
      '<p>Code:</p><pre><code>*a* &lt;b&gt;\n\n  @ada</code></pre><p>after</p>',
    '~~~\nopen': '<pre><code>open</code></pre>',
    '- ```\n  a\n   b\n  ```': '<ul><li><pre><code>a\n b</code></pre></li></ul>',
  }
  for (const [text, html] of Object.entries(cases)) equal(shown(text), html, text)
})

test('headings, rules, images, tables and HTML are not Markdown of comments: they stay text', () => {
  for (const text of [
    '# Title',
    'Title\n---',
    '* * *',
    '| a | b |\n|---|---|',
    '<b>bold</b>',
    '&amp;',
    '    code',
    '~~s~~',
  ])
    ok(!/<(?!\/?p>|br>)/.test(shown(text)), shown(text))
  // An image is a link to it: a page of ours loads nothing from elsewhere.
  equal(shown('![a](https://a.example/b.png)'), `<p><a href="https://a.example/b.png"${rel}>a</a></p>`)
})

test('mentions are links in emphasis, lists and quotes, but not in code, in other links or within words', () => {
  const mentioned = { ada_l: 'ada_now', _ada_: 'ada2' }
  const link = '<a href="/@ada_now">@ada_l</a>'
  const cases: Record<string, string> = {
    'Hi @ada_l!': `<p>Hi ${link}!</p>`,
    '**@ada_l** @nobody_here': `<p><strong>${link}</strong> @nobody_here</p>`,
    '@_ada_ and @ADA_l': '<p><a href="/@ada2">@_ada_</a> and <a href="/@ada_now">@ADA_l</a></p>',
    '- @ada_l\n> @ada_l': `<ul><li>${link}</li></ul><blockquote><p>${link}</p></blockquote>`,
    '`@ada_l`': '<p><code>@ada_l</code></p>',
    '[@ada_l](https://a.example)': `<p><a href="https://a.example"${rel}>@ada_l</a></p>`,
    'me@ada_l @ada_l@host @constructor': '<p>me@ada_l @ada_l@host @constructor</p>',
    'https://a.example/@ada_l': `<p><a href="https://a.example/@ada_l"${rel}>https://a.example/@ada_l</a></p>`,
  }
  for (const [text, html] of Object.entries(cases)) equal(shown(text, mentioned), html, text)
})

// Written out again rather than imported from the component.
const permitted: Record<string, string[]> = {
  div: ['class', 'dir'],
  ...Object.fromEntries('p br em strong code pre blockquote ul li'.split(' ').map((name) => [name, []])),
  ol: ['start'],
  a: ['href', 'rel'],
}

function assertSafe(text: string): void {
  const html = renderToString(CommentText({ text, mentioned: {} }))
  const page = `<!doctype html><title>A page</title><body>${html}</body>`
  deepEqual(markupErrors(page), [], text)
  for (const element of elementsOf(page)) {
    if (['html', 'head', 'title', 'body'].includes(element.tagName)) continue
    ok(permitted[element.tagName], `${element.tagName} in ${text}`)
    for (const { name } of element.attrs) ok(permitted[element.tagName]!.includes(name), `${name} in ${text}`)
    if (element.tagName !== 'a') continue
    const { protocol, username } = new URL(attributeOf(element, 'href')!)
    ok(/^https?:$/.test(protocol) && username === '', text)
    equal(attributeOf(element, 'rel'), 'nofollow ugc noopener noreferrer')
    ok(!textOf(element).includes('\u202e'))
  }
}

test('whatever is written, only these elements and attributes come out, and links lead to websites', () => {
  for (const text of xssCorpus) assertSafe(text)
  for (const text of ['[a](https://bank.example@evil.example)', '[a](https:\\\\evil.example)', '<https://a@b.example>'])
    ok(!shown(text).includes('<a '), text)
  const pieces = [
    '*',
    '**',
    '_',
    '`',
    '```\n',
    '[',
    '](',
    ')',
    '![',
    '<',
    '>',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '\\',
    '@a',
    ' ',
  ]
  const piece = fc.constantFrom(
    ...pieces,
    'a',
    'b c',
    'https://a.example/',
    'javascript:alert(1)',
    '"',
    '\u202e',
    '&lt;',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (parts) => assertSafe(parts.join(''))),
    { seed: 1 },
  )
})

test('emphasis, code and escapes are as in CommonMark', () => {
  const reference = new Markdown('zero', { breaks: true }).enable(['emphasis', 'backticks', 'escape', 'newline'])
  const piece = fc.constantFrom('*', '**', '_', '__', '`', '``', '\\', 'a', 'b', ' ', '.', '(', 'é')
  // A letter at both ends, so that it is a paragraph and nothing is trimmed.
  const texts = fc.array(piece, { minLength: 1, maxLength: 25 }).map((parts) => `a${parts.join('')}b`)
  fc.assert(
    fc.property(texts, (text) => equal(shown(text), `<p>${reference.renderInline(text)}</p>`)),
    { seed: 2, numRuns: 2000 },
  )
})

test('no text of a comment nests deeply', () => {
  const depthOf = (html: string) => {
    let depth = 0
    let deepest = 0
    for (const [, close, name] of html.matchAll(/<(\/?)(\w+)/g)) {
      if (name === 'br') continue
      depth += close === '/' ? -1 : 1
      deepest = Math.max(deepest, depth)
    }
    return deepest
  }
  const texts = [
    '> '.repeat(1000),
    `${'*a '.repeat(500)}${'a* '.repeat(160)}`,
    '- '.repeat(999),
    '[a'.repeat(900),
    '*'.repeat(2000),
  ]
  for (const text of texts) ok(depthOf(shown(`${text}x`)) <= 20, text.slice(0, 10))
})
