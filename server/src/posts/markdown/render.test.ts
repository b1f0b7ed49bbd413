import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resolveImages } from './images.ts'
import { paidNoteIds, withoutPaidNotes } from './paid-notes.ts'
import { renderMarkdown } from './render.ts'

const html = (markdown: string) => renderMarkdown(markdown).html.trim()
const rel = 'rel="nofollow ugc noopener noreferrer"'

test('paragraphs, emphasis, quotes and breaks', () => {
  equal(html('a *b* **c** ~~d~~ `e<f`'), '<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e&lt;f</code></p>')
  equal(html('> a  \n> b'), '<blockquote>\n<p>a<br />\nb</p>\n</blockquote>')
  equal(html('<b>no html</b>'), '<p>&lt;b&gt;no html&lt;/b&gt;</p>')
  equal(html('3. c\n4. d'), '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>')
})

test('a table keeps its alignment without styles', () => {
  equal(
    html('| a | b |\n|:-:|---|\n| 1 | 2 |').replaceAll('\n', ''),
    '<table><thead><tr><th align="center">a</th><th>b</th></tr></thead>' +
      '<tbody><tr><td align="center">1</td><td>2</td></tr></tbody></table>',
  )
})

test('a task list', () => {
  equal(
    html('- [ ] a\n- [x] **b**\n- [y] c'),
    '<ul>\n<li class="task"><input type="checkbox" disabled="disabled" /> a</li>\n' +
      '<li class="task"><input type="checkbox" checked="checked" disabled="disabled" /> <strong>b</strong></li>\n' +
      '<li>[y] c</li>\n</ul>',
  )
})

test('footnotes are numbered by first mention and point both ways', () => {
  equal(
    html('x[^b] y[^a] z[^b]\n\n[^a]: A\n[^b]: B\n[^c]: never mentioned'),
    `<p>x<sup><a href="#content-fn.1" id="content-ref.1" role="doc-noteref" ${rel}>1</a></sup>` +
      ` y<sup><a href="#content-fn.2" id="content-ref.2" role="doc-noteref" ${rel}>2</a></sup>` +
      ` z<sup><a href="#content-fn.1" id="content-ref.1.2" role="doc-noteref" ${rel}>1</a></sup></p>\n` +
      '<section class="footnotes" role="doc-endnotes">\n<ol>\n<li id="content-fn.1">\n' +
      `<p>B <a href="#content-ref.1" role="doc-backlink" ${rel}>↩</a>` +
      ` <a href="#content-ref.1.2" role="doc-backlink" ${rel}>↩</a></p>\n</li>\n<li id="content-fn.2">\n` +
      `<p>A <a href="#content-ref.2" role="doc-backlink" ${rel}>↩</a></p>\n</li>\n</ol>\n</section>`,
  )
  equal(html('x[^none]'), '<p>x[^none]</p>')
  ok(html('x[^1]\n\n[^1]: a\n\n    - b[^2]\n\n[^2]: c').includes('<li>b<sup><a href="#content-fn.2"'))
})

test('footnotes of the two parts are numbered in one order, and link to each other', () => {
  const free = 'One[^a] two[^b] three[^c] two again[^B].\n\n[^a]: Free A\n[^c]: Free C'
  const paid = 'Four[^d], two[^b], one[^a].\n\n[^d]: Paid D\n[^b]: Paid B'
  const [shownFree, shownPaid] = [
    renderMarkdown(free, { part: 'free', other: paid }),
    renderMarkdown(paid, { part: 'paid', other: free }),
  ]
  const links = (html: string) =>
    Array.from(html.matchAll(/<a href="#([^"]+)"(?: id="([^"]+)")? role="doc-(\w+)"/g), ([, ...found]) => found)
  deepEqual(links(shownFree.html), [
    ['content-fn.1', 'content-ref.1', 'noteref'],
    ['paid-content-fn.2', 'content-ref.2', 'noteref'],
    ['content-fn.3', 'content-ref.3', 'noteref'],
    ['paid-content-fn.2', 'content-ref.2.2', 'noteref'],
    ['content-ref.1', undefined, 'backlink'],
    ['content-ref.3', undefined, 'backlink'],
  ])
  deepEqual(links(shownPaid.html), [
    ['paid-content-fn.4', 'paid-content-ref.4', 'noteref'],
    ['paid-content-fn.2', 'paid-content-ref.2.3', 'noteref'],
    ['content-fn.1', 'paid-content-ref.1', 'noteref'],
    ['content-ref.2', undefined, 'backlink'],
    ['content-ref.2.2', undefined, 'backlink'],
    ['paid-content-ref.2.3', undefined, 'backlink'],
    ['paid-content-ref.4', undefined, 'backlink'],
  ])
  const items = (html: string) =>
    Array.from(html.matchAll(/<li id="([^"]+)"(?: value="(\d+)")?>/g), ([, ...found]) => found)
  deepEqual(items(shownFree.html), [
    ['content-fn.1', undefined],
    ['content-fn.3', '3'],
  ])
  deepEqual(items(shownPaid.html), [
    ['paid-content-fn.2', '2'],
    ['paid-content-fn.4', '4'],
  ])
  // Nothing of a paid note is in the free part.
  ok(!/Paid/.test(shownFree.html + shownFree.text))
  deepEqual(paidNoteIds(shownFree.html), ['paid-content-fn.2'])
  ok(!withoutPaidNotes(shownFree.html).includes('paid-content'))
  // A definition inside code is none.
  equal(html('a[^x]'), renderMarkdown('a[^x]', { other: '```\n[^x]: y\n```' }).html.trim())
})

test('every footnote link of a post leads somewhere, in whichever part it is', () => {
  const labels = ['[^1]', '[^2]', '[^a]', '[^A]', '[^b]']
  const pieces = [
    ...labels,
    ...labels,
    ...labels.map((label) => `\n\n${label}: `),
    '\n',
    '\n\n',
    '    ',
    '- ',
    '> ',
    '`',
  ]
  const text = fc
    .array(fc.constantFrom(...pieces, '\n```\n', '\\', '*', 'word '), { maxLength: 25 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (free, paid) => {
      const [shownFree, shownPaid] = [
        renderMarkdown(free, { part: 'free', other: paid }).html,
        renderMarkdown(paid, { part: 'paid', other: free }).html,
      ]
      const ids = Array.from((shownFree + shownPaid).matchAll(/ id="([^"]+)"/g), ([, id]) => id!)
      equal(new Set(ids).size, ids.length)
      for (const [, target] of (shownFree + shownPaid).matchAll(/href="#([^"]+)"/g)) ok(ids.includes(target!), target)
      // Without the paid part, only the references to its notes lead out of the free part.
      const missing = Array.from(shownFree.matchAll(/href="#([^"]+)"/g), ([, target]) => target!).filter(
        (target) => !shownFree.includes(` id="${target}"`),
      )
      deepEqual([...new Set(missing)], paidNoteIds(shownFree))
    }),
    { numRuns: 1000 },
  )
})

test('a footnote label ignores case, and its first definition wins', () => {
  const once = html('x[^a]\n\n[^a]: first')
  equal(html('x[^A]\n\n[^a]: first\n\n[^a]: second'), once)
})

test('code is highlighted with class names, and an unknown language is plain', () => {
  equal(
    html('```ts\nconst a = "<"\n```'),
    '<pre><code class="language-ts"><span class="hljs-keyword">const</span> a = ' +
      '<span class="hljs-string">&quot;&lt;&quot;</span>\n</code></pre>',
  )
  equal(html('```nonsense\na < b\n```'), '<pre><code>a &lt; b\n</code></pre>')
  equal(html('    a < b'), '<pre><code>a &lt; b\n</code></pre>')
  ok(!html(`\`\`\`ts\n${'const a = 1\n'.repeat(1000)}\`\`\``).includes('<span'))
})

test('headings have ids that are never those of the page or of the other part', () => {
  equal(html('# Hello, *World*!'), '<h1 id="content-hello-world">Hello, <em>World</em>!</h1>')
  equal(
    html('## a\n## a\n## a-1'),
    '<h2 id="content-a">a</h2>\n<h2 id="content-a-1">a</h2>\n<h2 id="content-a-1-1">a-1</h2>',
  )
  equal(html('# Über 日本'), '<h1 id="content-über-日本">Über 日本</h1>')
  equal(
    renderMarkdown('# a\n[x](#a)', { part: 'paid' }).html,
    `<h1 id="paid-content-a">a</h1>\n<p><a href="#paid-content-a" ${rel}>x</a></p>\n`,
  )
})

test('links and autolinks', () => {
  equal(html('[a](https://b.test "c")'), `<p><a href="https://b.test" title="c" ${rel}>a</a></p>`)
  equal(
    html('https://b.test/x?y=1&z=2.'),
    `<p><a href="https://b.test/x?y=1&amp;z=2" ${rel}>https://b.test/x?y=1&amp;z=2</a>.</p>`,
  )
  equal(html('at www.b.test/x'), `<p>at <a href="http://www.b.test/x" ${rel}>www.b.test/x</a></p>`)
  equal(html('a@b.test'), `<p><a href="mailto:a@b.test" ${rel}>a@b.test</a></p>`)
  equal(html('[a](/posts/1)'), `<p><a href="/posts/1" ${rel}>a</a></p>`)
  for (const plain of ['README.md', 'ftp://b.test', '//b.test']) equal(html(plain), `<p>${plain}</p>`)
  for (const target of ['//b.test', 'javascript:x', 'b.html', 'ftp://b.test']) equal(html(`[a](${target})`), '<p>a</p>')
})

test('a bare link alone in its paragraph is a card with its host', () => {
  const card = (href: string, text: string) => `<p><a href="${href}" class="link-card" ${rel}>${text}</a></p>`
  equal(html('https://b.test/x?y=1&z=2'), card('https://b.test/x?y=1&amp;z=2', '<strong>b.test</strong> x?y=1&amp;z=2'))
  equal(html('<https://b.test>'), card('https://b.test', '<strong>b.test</strong> '))
  equal(html('www.b.test/x'), card('http://www.b.test/x', '<strong>www.b.test</strong> x'))
  // A host that looks like another one is spelled out.
  match(html('https://аpple.test/'), /<strong>xn--pple-43d\.test<\/strong>/)
  equal(renderMarkdown('https://b.test/%E6%B7%B1').text, 'b.test 深')
  const inline = [
    '[a](https://b.test)',
    'a https://b.test',
    'https://b.test https://c.test',
    '- https://b.test',
    '> https://b.test',
    'a@b.test',
    '![a](https://b.test/c.png)',
    'a[^1]\n\n[^1]: https://b.test',
  ]
  for (const markdown of inline) ok(!html(markdown).includes('link-card'), markdown)
})

test('only hosted images are images', () => {
  equal(html('![a "b"](image:K_1-x)'), '<p><img data-image-key="K_1-x" alt="a &quot;b&quot;" /></p>')
  equal(html('![a](https://b.test/c.png)'), `<p><a href="https://b.test/c.png" ${rel}>a</a></p>`)
  equal(html('![](https://b.test/c.png)'), `<p><a href="https://b.test/c.png" ${rel}>https://b.test/c.png</a></p>`)
  equal(html('[![a](https://b.test/c.png)](/d)'), `<p><a href="/d" ${rel}>a</a></p>`)
  equal(html('x ![a](data:image/png;base64,AA) y'), '<p>x  y</p>')
  deepEqual(renderMarkdown('![](image:a) ![b](image:b) ![][c] ![](image:a)\n\n[c]: image:c').imageKeys, ['a', 'b', 'c'])
})

test('an image with a title, alone in its paragraph, is a figure with a caption', () => {
  const image = '<img data-image-key="k" alt="a" />'
  const figure = (caption: string) => `<figure>${image}<figcaption>${caption}</figcaption></figure>`
  equal(html('![a](image:k "A *view*")'), figure('A *view*'))
  equal(html('> ![a](image:k "b")'), `<blockquote>\n${figure('b')}\n</blockquote>`)
  // Text, whatever it says.
  equal(html('![a](image:k "<b>\\"x\\" &amp; &lt;i>")'), figure('&lt;b&gt;&quot;x&quot; &amp; &lt;i&gt;'))
  equal(html('![a](image:k "</figcaption><script>")'), figure('&lt;/figcaption&gt;&lt;script&gt;'))
  equal(html('![a](image:k "two\nlines")'), figure('two lines'))
  // Neither without a caption, nor in a text, a link or a dense list, nor from elsewhere.
  equal(html('![a](image:k " ")'), `<p>${image}</p>`)
  equal(html('x ![a](image:k "b")'), `<p>x ${image}</p>`)
  equal(html('[![a](image:k "b")](/c)'), `<p><a href="/c" ${rel}>${image}</a></p>`)
  equal(html('- ![a](image:k "b")'), `<ul>\n<li>${image}</li>\n</ul>`)
  equal(html('![a](https://b.test/c.png "b")'), `<p><a href="https://b.test/c.png" ${rel}>a</a></p>`)
  equal(renderMarkdown('![a](image:k "b c")\n\nd').text, 'a b c d')
  // Without the image there is nothing to caption.
  const { html: stored } = renderMarkdown('![a](image:k "b & <c>")\n\nd')
  equal(
    resolveImages(stored, () => undefined),
    '<p>d</p>\n',
  )
})

test('images resolve to their address or to nothing', () => {
  const { html: stored } = renderMarkdown(
    'x ![a](image:one)\n\n[![b](image:two)](/y)\n\n![](image:two) ![](image:two)\n\nz',
  )
  equal(
    resolveImages(stored, (key) => (key === 'one' ? '/media/1.webp?$&"' : undefined)),
    '<p>x <img src="/media/1.webp?$&amp;&quot;" alt="a" loading="lazy" decoding="async" /></p>\n<p>z</p>\n',
  )
})

test('text is what a reader would read aloud', () => {
  equal(
    renderMarkdown(
      '# A *b*\n\nc  d\ne [f](/g) ![h](image:i) `j<k`[^1]\n\n|l|\n|-|\n|m|\n\n```ts\nn  o\n```\n\n- [x] p\n\n[^1]: q',
    ).text,
    'A b c d e f h j<k l m n o p q',
  )
})

test('a part of a Post cannot be made to outgrow it', () => {
  const reference = `[a]: /${'x'.repeat(100_000)}\n\n${'[a]'.repeat(33_000)}`
  ok(renderMarkdown(reference).html.length < 2_000_000)
  ok(renderMarkdown(`[^1]: x\n\n${'[^1]'.repeat(49_000)}`).html.length < 2_000_000)
  ok(!renderMarkdown('*a '.repeat(20_000) + 'b*'.repeat(20_000)).html.includes('<em>'.repeat(60)))
})
