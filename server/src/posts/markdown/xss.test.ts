import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5'
import sanitizeHtml from 'sanitize-html'
import { resolveImages } from './images.ts'
import { renderMarkdown } from './render.ts'
import { sanitize } from './sanitize.ts'
import { xssCorpus } from './xss-corpus.fixture.ts'

type Node = DefaultTreeAdapterMap['node']

// Written out again rather than imported: a slip in the sanitizer's own list should not be its own excuse.
const attributesOf: Record<string, string[]> = {
  ...Object.fromEntries(
    'p br hr blockquote pre ul em strong s sup table thead tbody tr figure figcaption'
      .split(' ')
      .map((name) => [name, []]),
  ),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, ['id']])),
  th: ['align'],
  td: ['align'],
  ol: ['start'],
  li: ['id', 'class', 'value'],
  code: ['class'],
  span: ['class'],
  section: ['class', 'role'],
  a: ['href', 'title', 'id', 'role', 'rel', 'class'],
  img: ['src', 'alt', 'loading', 'decoding'],
  input: ['type', 'checked', 'disabled'],
}

function findings(html: string): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if (node.nodeName.startsWith('#') && node.nodeName !== '#text' && node.nodeName !== '#document-fragment')
      found.push(node.nodeName)
    if ('tagName' in node) found.push(...elementFindings(node))
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parseFragment(html))
  return found
}

function elementFindings({ tagName, namespaceURI, attrs }: DefaultTreeAdapterMap['element']): string[] {
  const found: string[] = []
  if (namespaceURI !== 'http://www.w3.org/1999/xhtml') found.push(namespaceURI)
  if (!Object.hasOwn(attributesOf, tagName)) return [...found, tagName]
  const given = Object.fromEntries(attrs.map(({ name, value }) => [name, value]))
  for (const [name, value] of Object.entries(given)) {
    if (!attributesOf[tagName]!.includes(name)) found.push(`${tagName} ${name}`)
    if (name === 'id' && !/^content-/.test(value)) found.push(`id ${value}`)
    if (name === 'src' && value !== '/media/1.webp') found.push(`src ${value}`)
    if (name === 'href' && !isHarmless(value)) found.push(`href ${value}`)
  }
  if (tagName === 'a' && given.rel !== 'nofollow ugc noopener noreferrer') found.push('a without rel')
  if (tagName === 'input' && (given.type !== 'checkbox' || given.disabled === undefined)) found.push('live input')
  return found
}

function isHarmless(href: string): boolean {
  const base = 'https://pennypost.test/posts/1'
  if (!URL.canParse(href, base)) return /^https?:\/\//.test(href)
  const { protocol, host } = new URL(href, base)
  if (/^[#/]/.test(href)) return host === 'pennypost.test' && protocol === 'https:'
  return ['http:', 'https:', 'mailto:'].includes(protocol) && /^(?:https?:\/\/|mailto:)/i.test(href)
}

const shown = (markdown: string) => resolveImages(renderMarkdown(markdown).html, () => '/media/1.webp')

test('nothing active comes out of the corpus', () => {
  ok(xssCorpus.length >= 120)
  for (const payload of xssCorpus) deepEqual(findings(shown(payload)), [], JSON.stringify(payload))
  // Neighbours can complete each other: an attribute opened in one payload and closed in the next.
  for (let index = 0; index + 1 < xssCorpus.length; index++) {
    const [first, second] = [xssCorpus[index]!, xssCorpus[index + 1]!]
    for (const both of [first + second, `${first}\n${second}`, `> ${first}\n\n- ${second}`])
      deepEqual(findings(shown(both)), [], JSON.stringify(both))
  }
})

test('the sanitizer alone stops the corpus as html', () => {
  for (const payload of xssCorpus) {
    const html = resolveImages(sanitize(payload), () => '/media/1.webp')
    deepEqual(findings(html), [], JSON.stringify(payload))
  }
})

test('the sanitizer knows only the exact form of our own tags', () => {
  equal(sanitize('<p onclick="x">a</p>'), '<p>a</p>')
  equal(sanitize('<P>a</P><p >b'), '&lt;P&gt;a&lt;/P&gt;&lt;p &gt;b')
  equal(sanitize("<a href='/'>a</a>"), "&lt;a href='/'&gt;a")
  equal(sanitize('<a href="/&#47;evil.test">a</a>'), '&lt;a href="/&#47;evil.test"&gt;a')
  equal(sanitize('<a href="javascript:alert(1)">a</a><script>b</script>'), 'ab')
  equal(sanitize('</section><em>a<p>b</em></p>'), '<em>a<p>b</p></em>')
  equal(sanitize('<img src="/x" alt="">'), '')
  equal(sanitize('<input type="text" /><input type="checkbox" />'), '<input type="checkbox" disabled="disabled" />')
})

test('a library with the same list finds nothing left to remove', () => {
  const second = (html: string) =>
    sanitizeHtml(html, {
      allowedTags: Object.keys(attributesOf),
      allowedAttributes: attributesOf,
      allowedSchemes: ['http', 'https', 'mailto'],
      allowProtocolRelative: false,
    })
  const unescaped = (html: string) => html.replaceAll('&quot;', '"')
  for (const payload of xssCorpus) equal(unescaped(second(shown(payload))), unescaped(shown(payload)))
})

test('no text can forge an image', () => {
  for (const payload of xssCorpus) {
    const { html, imageKeys } = renderMarkdown(payload)
    const asked: string[] = []
    resolveImages(html, (key) => void asked.push(key))
    deepEqual([...new Set(asked)], imageKeys, JSON.stringify(payload))
  }
})

const pieces = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...'[ ] ( ) ! * _ ~ ` < > & # - + | : " \' \\ / = ^ \n \t'.split(' '), '\n\n'),
    },
    fc.constantFrom(
      '[^1]',
      '[^1]: ',
      '![a](image:k)',
      '\n\n![a](image:k "',
      '")\n\n',
      '](',
      '```js\n',
      'https://a.b',
      'javascript:',
      '- [ ] ',
      '|-|-|\n',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(...xssCorpus),
  ),
  { maxLength: 30 },
)

test('any text renders, into harmless html that is already clean', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        pieces.map((all) => all.join('')),
      ),
      (markdown) => {
        const { html } = renderMarkdown(markdown)
        equal(sanitize(html), html)
        deepEqual(findings(resolveImages(html, () => '/media/1.webp')), [])
        ok(!/<[^>]*data-image-key/.test(resolveImages(html, () => undefined)))
        ok(!/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(html))
      },
    ),
    { numRuns: 1500, seed: 20261115 },
  )
})

test('the sanitizer is stable and harmless for any html at all', () => {
  const html = fc.array(
    fc.oneof(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<a href="/">',
        '</a>',
        '<img data-image-key="k" alt="" />',
        '<',
        '>',
        '"',
        ' />',
        '<li',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom(...xssCorpus),
    ),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(html, (all) => {
      const once = sanitize(all.join(''))
      equal(sanitize(once), once)
      deepEqual(findings(resolveImages(once, () => '/media/1.webp')), [])
    }),
    { numRuns: 1500, seed: 20261115 },
  )
})

test('text has no markup of ours', () => {
  fc.assert(
    fc.property(pieces, (all) => {
      const { text } = renderMarkdown(all.join('').replace(/[<&]/g, ''))
      ok(!text.includes('<'))
      equal(text, text.replace(/\s+/g, ' ').trim())
    }),
    { numRuns: 500, seed: 20261115 },
  )
})
