import { doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Html, html, jsonLd, markdownCode, page, sanitizedHtml } from './page.ts'

const inPage = (body: Html) => page({ title: 'A page', body }).html.split('<body>')[1]!

test('a value in text is escaped', () => {
  const shown = inPage(html`<p>${'</p><script>alert(1)</script>&amp;'}</p>`)
  ok(shown.includes('<p>&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</p>'))
})

test('a value in an attribute cannot leave its quotes, single or double', () => {
  const hostile = `" ' onload=alert(1) x='><img src=x>`
  const shown = inPage(html`<a title="${hostile}" lang='${hostile}'>x</a>`)
  const escaped = '&quot; &#39; onload=alert(1) x=&#39;&gt;&lt;img src=x&gt;'
  ok(shown.includes(`<a title="${escaped}" lang='${escaped}'>x</a>`))
})

test('lists and markup are inlined at any depth, and text in them is escaped', () => {
  const item = html`<li>${'<b>'}</li>`
  const shown = inPage(html`<ul>${[item, [html`<li>${['"', ['<']]}</li>`, [item]]]}</ul>`)
  ok(shown.includes('<ul><li>&lt;b&gt;</li><li>&quot;&lt;</li><li>&lt;b&gt;</li></ul>'))
})

test('an object that only looks like markup is not inlined', () => {
  const forged = JSON.parse('{"text":"<script>"}') as Html
  throws(() => html`<p>${forged}</p>`)
})

test('null, undefined and false show nothing; zero and the empty string are values', () => {
  ok(inPage(html`<p>${null}${undefined}${false}${0}${''}</p>`).includes('<p>0</p>'))
})

test('text between backticks becomes code and is escaped', () => {
  ok(inPage(html`${markdownCode('Send `<a>` & wait.')}`).includes('Send <code>&lt;a&gt;</code> &amp; wait.'))
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

test('structured data is complete and cannot end its element', () => {
  const facts = { name: '</script><script>alert(1)</script><!--&amp;\u2028' }
  const shown = inPage(jsonLd(facts))
  equal(shown.match(/<script/g)?.length, 1)
  const text = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(shown)![1]!
  equal(JSON.parse(text).name, facts.name)
  ok(!/[<>&\u2028]/.test(text))
})

test('sanitized HTML is inlined unchanged', () => {
  ok(inPage(html`<div>${sanitizedHtml('<em>x</em>')}</div>`).includes('<div><em>x</em></div>'))
})

test('a layout determines the head, the frame and the policy of a page', () => {
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
