import { doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { bareLayout as layout } from './page.fixture.ts'
import { type Html, html, jsonLd, markdownCode, page, sanitizedHtml } from './page.ts'

const inPage = (body: Html) => page({ title: 'A page', body, layout }).html.split('<body>')[1]!

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
  const shown = page({ title: '</title><script>', description: '"><script>', body: html``, layout }).html
  doesNotMatch(shown, /<script/)
})

test('the policy allows what the layout says, and images of its hosts, and nothing else', () => {
  const shown = { ...layout, imageHosts: ['https://images.example'] }
  const { html: text, headers } = page({ title: 'A page', body: html`<main></main>`, layout: shown })
  equal(
    headers['content-security-policy'],
    `default-src 'none'; style-src 'self'; img-src 'self' https://images.example; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  )
  match(headers['content-type']!, /^text\/html; charset=utf-8$/)
  equal(headers['referrer-policy'], 'no-referrer')
  doesNotMatch(text, /<script|style="|https?:/)
})

test('every title ends with the name of the site, and the first page has nothing else', () => {
  match(page({ title: 'A page', body: html``, layout }).html, /<title>A page · Site<\/title>/)
  match(page({ body: html``, layout }).html, /<title>Site<\/title>/)
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
    siteName: 'Site',
    head: html`<link rel="stylesheet" href="/style.css">`,
    frame: (body: Html) => html`<nav>Above</nav>${body}`,
    policy: ["style-src 'self'"],
  }
  const { html: text, headers } = page({ title: 'A page', body: html`<main></main>`, layout: look })
  ok(text.includes('<link rel="stylesheet" href="/style.css">') && text.includes('<nav>Above</nav><main></main>'))
  ok(headers['content-security-policy']!.startsWith("default-src 'none'; style-src 'self'; img-src 'self';"))
})
