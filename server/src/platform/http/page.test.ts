import { doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Html, html, jsonLd, markdownCode, page, sanitizedHtml } from './page.ts'

const inPage = (body: Html) => page({ title: 'A page', body }).html.split('<body>')[1]!

test('a value cannot leave the text it stands in', () => {
  const shown = inPage(html`<p>${'</p><script>alert(1)</script>&amp;'}</p>`)
  ok(shown.includes('<p>&#60;/p&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;</p>'))
})

test('a value cannot leave the attribute it stands in, whichever quotes that has', () => {
  const hostile = `" ' onload=alert(1) x='><img src=x>`
  const shown = inPage(html`<a title="${hostile}" lang='${hostile}'>x</a>`)
  const escaped = '&#34; &#39; onload=alert(1) x=&#39;&#62;&#60;img src=x&#62;'
  ok(shown.includes(`<a title="${escaped}" lang='${escaped}'>x</a>`))
})

test('lists and markup are inlined at any depth, and what is text in them is still escaped', () => {
  const item = html`<li>${'<b>'}</li>`
  const shown = inPage(html`<ul>${[item, [html`<li>${['"', ['<']]}</li>`, [item]]]}</ul>`)
  ok(shown.includes('<ul><li>&#60;b&#62;</li><li>&#34;&#60;</li><li>&#60;b&#62;</li></ul>'))
})

test('what only looks like markup is not markup', () => {
  const forged = JSON.parse('{"text":"<script>"}') as Html
  throws(() => html`<p>${forged}</p>`)
})

test('nothing is shown for null, undefined and false; zero and the empty text are values', () => {
  ok(inPage(html`<p>${null}${undefined}${false}${0}${''}</p>`).includes('<p>0</p>'))
})

test('code between backticks is code, and no less escaped', () => {
  ok(inPage(html`${markdownCode('Send `<a>` & wait.')}`).includes('Send <code>&#60;a&#62;</code> &#38; wait.'))
})

test('title and description are escaped', () => {
  const shown = page({ title: '</title><script>', description: '"><script>', body: html`` }).html
  doesNotMatch(shown, /<script/)
})

test('the policy allows the one style of the page and nothing else to run', () => {
  const { html: text, headers } = page({ title: 'A page', body: html`<main></main>` })
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)]
  equal(styles.length, 1)
  const hash = createHash('sha256').update(styles[0]![1]!).digest('base64')
  equal(
    headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  )
  match(headers['content-type']!, /^text\/html; charset=utf-8$/)
  equal(headers['referrer-policy'], 'no-referrer')
  doesNotMatch(text, /<script|style="|https?:/)
})

test('facts for machines say what they were given, and cannot end their element', () => {
  const facts = { name: '</script><script>alert(1)</script><!--&amp;\u2028' }
  const shown = inPage(jsonLd(facts))
  equal(shown.match(/<script/g)?.length, 1)
  const text = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(shown)![1]!
  equal(JSON.parse(text).name, facts.name)
  ok(!/[<>&\u2028]/.test(text))
})

test('what was made safe elsewhere is inlined as it is', () => {
  ok(inPage(html`<div>${sanitizedHtml('<em>x</em>')}</div>`).includes('<div><em>x</em></div>'))
})

test('a look of its own gives a page its head, its frame and what its policy allows', () => {
  const look = {
    head: html`<link rel="stylesheet" href="/style.css">`,
    frame: (body: Html) => html`<nav>Above</nav>${body}`,
    policy: ["style-src 'self'"],
  }
  const { html: text, headers } = page({ title: 'A page', body: html`<main></main>`, layout: look })
  ok(text.includes('<link rel="stylesheet" href="/style.css">') && text.includes('<nav>Above</nav><main></main>'))
  ok(!text.includes('<style>'))
  ok(headers['content-security-policy']!.startsWith("default-src 'none'; style-src 'self'; img-src 'self';"))
})
