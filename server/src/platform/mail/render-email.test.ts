import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailSender } from './email-sender.ts'
import { renderEmail } from './render-email.ts'

const sender: EmailSender = {
  name: 'The <Gazette>',
  origin: 'https://gazette.example',
  logoUrl: null,
  accentColor: '#1a4fa8',
}
const content = {
  subject: 'A <sale>',
  greeting: 'Hi Ada,',
  paragraphs: ['Tom & Mira bought it.'],
  code: '123456',
  link: { label: 'View it', url: 'https://gazette.example/posts/1?a=1&b="' },
  reason: 'Emails about sales are turned on.',
  unsubscribe: { label: 'Unsubscribe', url: 'https://gazette.example/unsubscribe?token=t' },
}

test('an email has the name and colour of the site, in light and dark, and loads nothing', () => {
  const { html, text, subject } = renderEmail(sender, content)
  equal(subject, 'A <sale>')
  match(html, /<a class="accent" href="https:\/\/gazette\.example"[^>]*>The &lt;Gazette&gt;<\/a>/)
  match(
    html,
    /class="button" href="https:\/\/gazette\.example\/posts\/1\?a=1&amp;b=&quot;" style="[^"]*background:#1a4fa8;color:#ffffff/,
  )
  match(html, /prefers-color-scheme:dark/)
  match(html, /<meta name="color-scheme" content="light dark">/)
  ok(html.includes('Tom &amp; Mira bought it.') && html.includes('>123456<'))
  doesNotMatch(html, /<(img|link|script|iframe)|url\(|@import/)
  for (const part of ['Hi Ada,', 'Tom & Mira', '123456', content.link.url, 'The <Gazette>', content.unsubscribe.url])
    ok(text.includes(part), part)
  doesNotMatch(text, /<p|<a/)
})

test('a logo takes the place of the name, and is the only thing that is loaded', () => {
  const { html } = renderEmail({ ...sender, logoUrl: 'https://gazette.example/media/logo.png' }, content)
  equal(html.match(/<img /g)?.length, 1)
  match(html, /<img src="https:\/\/gazette\.example\/media\/logo\.png" alt="The &lt;Gazette&gt;"/)
})
