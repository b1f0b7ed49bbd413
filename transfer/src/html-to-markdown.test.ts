import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { collectImages } from './collected-images.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'

function convert(html: string, baseUrl?: string) {
  const images = collectImages()
  const notes: string[] = []
  const markdown = htmlToMarkdown(html, { images, baseUrl, note: (note) => notes.push(note) })
  return { markdown, images: images.list, notes }
}

const cases: Record<string, [html: string, markdown: string]> = {
  'paragraphs and spaces': ['<p>One\n  two</p>\n<p>Three<br>four</p>', 'One two\n\nThree\\\nfour'],
  headings: ['<h1>A</h1><h3>B <em>c</em></h3><h2></h2>', '# A\n\n### B *c*'],
  emphasis: ['<p><b>bold </b>and<i> slanted</i>, <s>gone</s></p>', '**bold** and *slanted*, ~~gone~~'],
  'emphasis in a word': ['<p>un<b>believ</b>able</p>', 'un**believ**able'],
  'emphasis that Markdown could not read': ['<p>a<b>"b"</b>c</p>', 'a"b"c'],
  'emphasis in emphasis': ['<p><b><strong>x</strong></b><b>y</b></p>', '**xy**'],
  'both kinds': ['<p><strong><em>x</em></strong></p>', '***x***'],
  'what looks like markup': [
    '<p>1. a *b* [c](d) `e` &lt;f> \\ _g_ snake_case</p>',
    '1\\. a \\*b\\* \\[c\\](d) \\`e\\` \\<f> \\\\ \\_g\\_ snake_case',
  ],
  'what looks like a heading or list': [
    '<p># a</p><p>- b</p><p>> c</p><p>+ d</p><p>===</p>',
    '\\# a\n\n\\- b\n\n\\> c\n\n\\+ d\n\n\\===',
  ],
  'entities that are text': ['<p>&amp;amp; &amp;copy; a&nbsp;b</p>', '\\&amp; \\&copy; a\u00a0b'],
  code: ['<p>Use <code>a`b</code> and <code>c</code></p>', 'Use ``a`b`` and `c`'],
  'a code block': ['<pre><code class="language-js">a\n  *b*\n</code></pre>', '```js\na\n  *b*\n```'],
  'a code block with fences': ['<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  lists: ['<ul><li>a</li><li>b<ol start="3"><li>c</li></ol></li></ul>', '- a\n- b\n  3. c'],
  'lists with paragraphs': ['<ol><li><p>a</p><p>b</p></li><li>c</li></ol>', '1. a\n\n   b\n\n2. c'],
  tasks: ['<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>', '- [x] a\n- [ ] b'],
  quotes: ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  tables: [
    '<table><tr><th>A</th><th>B</th></tr><tr><td>1|2</td><td><b>x</b></td></tr></table>',
    '| A | B |\n| --- | --- |\n| 1\\|2 | **x** |',
  ],
  links: [
    '<p><a href="https://a.example/b c(d)">x</a> <a href="mailto:a@b.example">m</a></p>',
    '[x](<https://a.example/b%20c(d)>) [m](mailto:a@b.example)',
  ],
  'a link that is its own text': ['<p><a href="https://a.example/">https://a.example/</a></p>', '<https://a.example/>'],
  'links that lead nowhere': ['<p><a href="javascript:alert(1)">a</a><a href="#x">b</a><a>c</a></p>', 'abc'],
  'what is no text': ['<script>x</script><style>y</style><p>z</p><!-- c --><noscript>n</noscript>', 'z'],
  'a line': ['<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
  'unclosed and misplaced tags': ['<p>a<p>b<div>c</b></div>d</p>', 'a\n\nb\n\nc\n\nd'],
  'blocks in inline elements': ['<span><p>a</p><p>b</p></span>', 'a\n\nb'],
  video: [
    '<iframe src="https://www.youtube.com/embed/abcdefghijk?x=1"></iframe>',
    '<https://www.youtube.com/watch?v=abcdefghijk>',
  ],
  'a bookmark card of Ghost': [
    '<figure class="kg-card kg-bookmark-card"><a href="https://a.example/x"><div>T</div><img src="/i.png"></a></figure>',
    '<https://a.example/x>',
  ],
  'footnotes of Substack': [
    '<p>a<a class="footnote-anchor" href="#footnote-1">1</a></p><div class="footnote"><a class="footnote-number" href="#a">1</a><div class="footnote-content"><p>Note</p></div></div>',
    'a[^1]\n\n[^1]: Note',
  ],
}

for (const [name, [html, markdown]] of Object.entries(cases))
  test(`HTML to Markdown: ${name}`, () => {
    equal(convert(html).markdown, markdown)
  })

test('images become hosted ones, with their captions; the same one has one key', () => {
  const { markdown, images } = convert(
    '<figure><img src="/a.png" alt="An [a]"><figcaption>A "caption"</figcaption></figure><p>x <img src="https://old.example/a.png"></p>',
    'https://old.example/post/',
  )
  equal(images.length, 1)
  const { key, source } = images[0]!
  deepEqual(source, { kind: 'url', url: 'https://old.example/a.png' })
  equal(markdown, `![An \\[a\\]](image:${key} "A \\"caption\\"")\n\nx ![](image:${key})`)
})

test('an image in the text itself is taken out of it; one without an address is named', () => {
  const { images, notes } = convert('<img src="data:image/png;base64,iVBORw0KGgo="><img src="file:///etc/passwd"><img>')
  equal(images.length, 1)
  equal(images[0]!.source.kind, 'bytes')
  equal(notes.length, 2)
})

test('a picture that links to its larger copy is a picture', () => {
  match(
    convert('<a href="https://a.example/big.jpg"><img src="https://a.example/small.jpg"></a>').markdown,
    /^!\[\]\(image:\w+\)$/,
  )
})

test('hostile HTML takes neither the stack nor much time', () => {
  const started = performance.now()
  const deep = 30_000
  for (const html of [
    `${'<div>'.repeat(deep)}x${'</div>'.repeat(deep)}`,
    `${'<b>'.repeat(deep)}x`,
    `${'<blockquote>'.repeat(deep)}x`,
    `${'<ul><li>'.repeat(deep)}x`,
    `${'<table><tr><td>'.repeat(deep / 2)}x`,
    `<p>${'<br>'.repeat(deep)}x</p>`,
    `<p>${'<span> </span>'.repeat(deep)}x</p>`,
    `<p>${'<b> </b><i>x</i>'.repeat(deep / 2)}</p>`,
    `<p>${'*_`[\\'.repeat(deep)}</p>`,
    `<p>${'`'.repeat(deep)}</p><pre>${'`'.repeat(deep)}</pre>`,
    '<'.repeat(deep),
    `<a ${'x="y" '.repeat(deep)}>`,
    '<img src="'.repeat(deep),
    '<!--'.repeat(deep),
  ])
    try {
      ok(convert(html).markdown.length < 20_000_000)
    } catch (error) {
      match((error as Error).message, /nested too deeply/)
    }
  // On a slow machine in its worst moment; without bounds it takes hours.
  ok(performance.now() - started < 120_000)
  throws(() => convert('x'.repeat(2_000_001)), /more than/)
})
