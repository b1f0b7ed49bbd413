import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { updatePost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { attributeOf, authorIn, elementsOf, publishes, textOf, visit } from './site-world.fixture.ts'

const classOf = (wanted: string, html: string) =>
  elementsOf(html).find((found) => attributeOf(found, 'class')?.split(' ')[0] === wanted)

test('after the article come the author with a bio, then what to read next, then the comments', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author)
  const read = async () => (await visit(world, `/posts/${post.id}`)).text
  const order = elementsOf(await read())
    .map((found) => attributeOf(found, 'class') ?? found.tagName)
    .filter((name) => ['h-entry', 'author-card', 'related', 'comments'].includes(name))
  deepEqual(order, ['h-entry', 'author-card', 'related', 'comments'])
  ok(!textOf(classOf('author-card', await read())).includes('Essays'))
  const bio = 'Essays on \u202e<b>weather</b>.\nMost Sundays.'
  equal((await author.publisher.calls(updateProfile, { body: { bio } })).status, 200)
  const shown = classOf('bio', await read())
  equal(textOf(shown), 'Essays on <b>weather</b>.\nMost Sundays.')
  equal(attributeOf(shown, 'dir'), 'auto')
})

test('titles, leads and texts have the direction of their own script', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const post = await publishes(author, { title: 'שלום עולם', description: 'תיאור', language: 'he' })
  const elements = elementsOf((await visit(world, `/posts/${post.id}`)).text)
  const directionOf = (text: string) =>
    attributeOf(
      elements.find((found) => ['h1', 'p'].includes(found.tagName) && textOf(found) === text),
      'dir',
    )
  deepEqual([directionOf('שלום עולם'), directionOf('תיאור')], ['auto', 'auto'])
  const listed = elementsOf((await visit(world, '/')).text)
  const heading = listed.find(({ tagName, childNodes }) => tagName === 'h2' && childNodes.length === 1)
  deepEqual([textOf(heading), attributeOf(heading, 'dir')], ['שלום עולם', 'auto'])
})

test('a footnote in the paid part: its reference leads to the paywall, then to the note, and never shows it', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, {
    freeContentMarkdown: 'One[^free] two[^paid].\n\n[^free]: A free note.',
    paidContentMarkdown: 'Three[^third].\n\n[^paid]: A secret note.\n[^third]: The third.',
  })
  const at = `/posts/${post.id}`
  const targets = (html: string) =>
    elementsOf(html)
      .filter((found) => attributeOf(found, 'role') === 'doc-noteref')
      .map((found) => attributeOf(found, 'href')!.slice(1))
  const isOnPage = (html: string, id: string) =>
    elementsOf(html).filter((found) => attributeOf(found, 'id') === id).length === 1

  const { text: forSale } = await visit(world, at)
  deepEqual(targets(forSale), ['content-fn.1', 'paid-content-fn.2'])
  for (const id of targets(forSale)) ok(isOnPage(forSale, id), id)
  ok(!forSale.includes('secret') && !forSale.includes('third'))
  for (const path of [`${at}.md`, `/api/posts/${post.id}`, '/feed.xml', '/feed.json'])
    ok(!(await visit(world, path)).text.includes('secret'), path)
  const paywall = classOf('paywall', forSale)
  ok(paywall!.childNodes.some((node) => 'attrs' in node && attributeOf(node, 'id') === 'paid-content-fn.2'))

  const { giftLink } = (await author.owner.calls(createGiftLink, { params: { postId: post.id } })).body
  const { text: opened } = await visit(world, `${at}?gift=${giftLink.token}`)
  deepEqual(targets(opened), ['content-fn.1', 'paid-content-fn.2', 'paid-content-fn.3'])
  for (const id of targets(opened)) ok(isOnPage(opened, id), id)
  const back = elementsOf(opened).filter((found) => attributeOf(found, 'role') === 'doc-backlink')
  for (const link of back) ok(isOnPage(opened, attributeOf(link, 'href')!.slice(1)))
  match(opened, /A secret note\. <a href="#content-ref\.2"/)
})

test('an edit of one part keeps the footnotes of both right', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, {
    freeContentMarkdown: 'Two[^paid].',
    paidContentMarkdown: 'Three[^third].\n\n[^paid]: A secret note.\n[^third]: The third.',
  })
  const params = { postId: post.id }
  let revision = post.updatedAt
  const edit = async (body: object) => {
    const reply = await author.publisher.calls(updatePost, { params, headers: { 'x-post-revision': revision }, body })
    equal(reply.status, 200, JSON.stringify(reply.body))
    revision = reply.body.updatedAt
    const { text } = await visit(world, `/posts/${post.id}`)
    const { body: access } = await author.owner.calls(getAccess, { params })
    return { free: textOf(classOf('prose', text)).trim(), paid: String(access.paidContentHtml) }
  }
  const more = await edit({ freeContentMarkdown: 'One[^free] two[^paid].\n\n[^free]: A free note.' })
  match(more.free, /^One1 two2\./)
  match(more.paid, /<li id="paid-content-fn\.2" value="2">[\s\S]*<li id="paid-content-fn\.3">/)
  const less = await edit({ freeContentMarkdown: 'No notes.' })
  match(less.paid, /<li id="paid-content-fn\.1">\s*<p>The third/)
  ok(!less.paid.includes('secret'))
  await edit({ freeContentMarkdown: 'Two[^paid].' })
  const without = await edit({ paidContentMarkdown: 'No notes.' })
  equal(without.free, 'Two[^paid].')
})

test('a post without a paywall has no references to a paid part that nobody sees', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, {
    enablePaywall: false,
    freeContentMarkdown: 'Two[^paid].',
    paidContentMarkdown: 'Three.\n\n[^paid]: A secret note.',
  })
  equal(textOf(classOf('prose', (await visit(world, `/posts/${post.id}`)).text)).trim(), 'Two.')
})
