import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { logIn } from '@pennypost/contract/sessions'
import { updateSiteSettings } from '@pennypost/contract/site-settings'
import { administrator } from '../discussion/discussion.fixture.ts'
import { payable, publish } from '../posts/posts.fixture.ts'
import { createWorld, type World } from '../test/world.ts'

const read = async (world: World, url: string, accept = 'text/html') => {
  const reply = await world.server.inject({ url, headers: { accept } })
  return { status: reply.statusCode, text: reply.payload, headers: reply.headers }
}

const ownSettings = {
  name: 'The Gazette',
  tagline: 'News from the <hill>',
  logoUrl: 'https://images.example/logo.png',
  accentColor: '#1a4fa8',
  navigation: [{ label: 'Shop', url: 'https://shop.example/' }],
  aboutMarkdown: 'We are *two* people.<script>alert(1)</script>',
}

test('pages, feeds and icons have the name and colour of the operator, and nothing says Pennypost', async (t) => {
  const world = await createWorld(t)
  const admin = await administrator(world)
  const { id: postId } = await publish(await payable(await world.creator()))
  await world.runJobs()
  const before = await read(world, '/')
  match(before.text, /<title>Pennypost<\/title>/)
  equal((await admin.owner.sends(updateSiteSettings, { body: ownSettings })).status, 200)
  const pages = ['/', `/posts/${postId}`, '/sign-in', '/docs', '/problems/unauthorized', '/nowhere']
  for (const path of pages) {
    const { text, headers } = await read(world, path)
    // The API reference has examples with names in them.
    if (path !== '/docs') doesNotMatch(text.replaceAll('pennypost.test', ''), /Pennypost/i, path)
    match(text, /<title>([^<]+ · )?The Gazette<\/title>/, path)
    match(text, /<img class="logo" src="https:\/\/images\.example\/logo\.png" alt="The Gazette">/, path)
    match(text, /<a class="wide-only" href="https:\/\/shop\.example\/">Shop<\/a>/, path)
    match(text, /<link rel="stylesheet" href="\/accents\/1a4fa8\.css">/, path)
    match(String(headers['content-security-policy']), /img-src 'self' https:\/\/images\.example;/, path)
  }
  match((await read(world, '/')).text, /<h1>News from the &lt;hill&gt;<\/h1>/)
  for (const path of ['/feed.xml', '/llms.txt', '/manifest.webmanifest']) {
    const { text } = await read(world, path, '*/*')
    match(text, /The Gazette/, path)
    doesNotMatch(text.replaceAll('pennypost.test', ''), /Pennypost/i, path)
  }
  const icon = await read(world, '/favicon.svg')
  match(icon.text, /fill="#1a4fa8".*>T<\/text>/)
  match((await read(world, '/accents/1a4fa8.css')).text, /--accent:#1a4fa8/)
})

test('emails have the name, the logo and the colour of the operator', async (t) => {
  const world = await createWorld(t)
  const admin = await administrator(world)
  const body = { name: 'The Gazette', logoUrl: '/media/logo.png', accentColor: '#1a4fa8' }
  await admin.owner.calls(updateSiteSettings, { body })
  await world.stranger().calls(logIn, { body: { email: admin.email } })
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT text, html FROM captured_mail ORDER BY sent_at DESC LIMIT 1')
  const [{ text, html }] = rows
  match(text, /The Gazette/)
  match(html, new RegExp(`<img src="${world.origin}/media/logo.png" alt="The Gazette"`))
  match(html, /background:#1a4fa8/)
  doesNotMatch(`${text}${html}`.replaceAll('pennypost.test', ''), /Pennypost/i)
})

test('the pages that the operator has written are in the footer, sanitized; the others are not found', async (t) => {
  const world = await createWorld(t)
  const admin = await administrator(world)
  for (const path of ['/about', '/terms', '/privacy']) equal((await read(world, path)).status, 404, path)
  doesNotMatch((await read(world, '/')).text, /href="\/about"/)
  await admin.owner.calls(updateSiteSettings, { body: ownSettings })
  const about = await read(world, '/about')
  equal(about.status, 200)
  ok(about.text.includes('We are <em>two</em> people.'))
  doesNotMatch(about.text, /<script>/)
  equal((await read(world, '/terms')).status, 404)
  const home = (await read(world, '/')).text
  match(home, /href="\/about"/)
  match((await read(world, '/sitemaps/site.xml')).text, /\/about<\/loc>/)
  doesNotMatch(home, /href="\/terms"/)
  await admin.owner.calls(updateSiteSettings, { body: { aboutMarkdown: 'Now three.', termsMarkdown: 'Be kind.' } })
  ok((await read(world, '/about')).text.includes('Now three.'))
  ok((await read(world, '/terms')).text.includes('Be kind.'))
})
