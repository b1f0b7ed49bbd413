import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { resolveImages } from '../posts/markdown/images.ts'
import { renderMarkdown } from '../posts/markdown/render.ts'
import { mailHtml, mailText } from './mail-html.ts'

const url = 'https://pennypost.example/@ada/engines'
const options = { url, origin: 'https://pennypost.example', accentColor: '#7a3b12', maxBytes: 100_000 }
const stored = (markdown: string, math = false) =>
  resolveImages(renderMarkdown(markdown, { math }).html, (key) => `https://pennypost.example/media/${key}.png`)
const html = (markdown: string, math = false) => mailHtml(stored(markdown, math), options).html
const text = (markdown: string, math = false) =>
  mailText(stored(markdown, math), { ...options, maxCharacters: 100_000 }).text

test('links are absolute, images have a source, and no class or id is left', () => {
  const all = html(
    '# Title\n\n[about](/about) [above](#content-title) ![An *engine*](image:cover)\n\n```js\nlet a = "<b>"\n```',
  )
  ok(all.includes('href="https://pennypost.example/about"'))
  ok(all.includes(`href="${url}#content-title"`))
  match(all, /<img src="https:\/\/pennypost\.example\/media\/cover\.png" alt="An engine" style="[^"]+" \/>/)
  ok(!/ (class|id|role|rel|loading|decoding)=|<span/.test(all), all)
  ok(all.includes('&lt;b&gt;'))
})

test('what email cannot show degrades', () => {
  ok(html('$x^2$', true).includes(`<a href="${url}" style="color:#7a3b12">[formula]</a>`))
  ok(!html('$x^2$', true).includes('<m'))
  equal(text('Let $x^2$ be', true), 'Let [formula] be')
  equal(text('One[^a].\n\n[^a]: The note.'), 'One[1].\n\n1. The note.')
  equal(text('https://example.org/some/page'), 'https://example.org/some/page')
  equal(text('| a | b |\n|---|--:|\n| 1 | 2 |'), 'a | b\n1 | 2')
  const notes = html('One[^a].\n\n[^a]: The note.')
  match(notes, /One<sup>1<\/sup>\./)
  ok(notes.includes('The note.') && !notes.includes('↩'))
  match(html('- [x] done\n- [ ] open'), /☑ done[\s\S]*☐ open/)
  match(
    html('https://example.org/some/page'),
    /<a href="https:\/\/example\.org\/some\/page" style="[^"]*display:block[^"]*"><strong>example\.org<\/strong>/,
  )
  match(html('| a | b |\n|---|--:|\n| 1 | 2 |'), /<td align="right" style=/)
})

test('a long post is cut between two blocks, and says so', () => {
  const paragraphs = Array.from({ length: 100 }, (_, index) => `Paragraph ${index}`).join('\n\n')
  const { html: cut, isCut } = mailHtml(stored(paragraphs), { ...options, maxBytes: 1_000 })
  ok(isCut)
  ok(Buffer.byteLength(cut) <= 1_000 && cut.startsWith('<p') && cut.endsWith('</p>'))
  equal(mailHtml(stored(paragraphs), options).isCut, false)
  deepEqual(mailHtml(stored('a'.repeat(2_000)), { ...options, maxBytes: 1_000 }), { html: '', isCut: true })
})

test('a long text is cut, and takes time in proportion to its length', () => {
  const long = stored('- [a](https://example.org/)\n'.repeat(8_000))
  const { text: cut, isCut } = mailText(long, { ...options, maxCharacters: 1_000 })
  deepEqual([isCut, cut.length], [true, 1_001])
  const whole = mailText(long, { ...options, maxCharacters: 10_000_000 })
  deepEqual([whole.isCut, whole.text.split('\n').length], [false, 8_000])
})

test('a caption is below its image, in HTML and in text', () => {
  equal(text('A\n\n![Alt](image:x "A caption & more")\n\nB'), 'A\n\n[Image: Alt]\nA caption & more\n\nB')
  match(
    html('![Alt](image:x "A caption")'),
    /<figure [^>]+><img [^>]+><figcaption style="[^"]+">A caption<\/figcaption><\/figure>/,
  )
})

test('the text part keeps paragraphs, lists, code and the targets of links', () => {
  equal(
    text(
      '# Title\n\nSome *text* & [a link](https://example.org/).\n\n- one\n- two\n  1. deep\n\n> quote\n\n```\nlet  a\n  b\n```\n\n![Alt](image:x)',
    ),
    'Title\n\nSome text & a link (https://example.org/).\n\n- one\n- two\n  1. deep\n\nquote\n\nlet  a\n  b\n\n[Image: Alt]',
  )
})
