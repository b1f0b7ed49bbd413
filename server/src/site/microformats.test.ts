import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { updateProfile } from '@pennypost/contract/profiles'
import { attributeOf, authorIn, type Element, elementsOf, publishes, textOf, visit } from './site-world.fixture.ts'

const classesOf = (element: Element): string[] => attributeOf(element, 'class')?.split(' ') ?? []

/** The elements within an element. */
const within = (element: Element): Element[] =>
  element.childNodes.flatMap((node) => ('tagName' in node ? [node, ...within(node)] : []))

const find = (elements: readonly Element[], name: string) => elements.find((each) => classesOf(each).includes(name))

test('a post is an h-entry with its name, author, time, text and tags', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author, { title: 'Engines', description: 'What they can do', tags: ['Sea'] })
  const { text } = await visit(world, `/posts/${post.id}`)
  const entries = elementsOf(text).filter((each) => classesOf(each).includes('h-entry'))
  equal(entries.length, 1)
  const parts = within(entries[0]!)
  deepEqual(
    ['p-name', 'p-summary', 'p-author', 'p-category'].map((name) => textOf(find(parts, name))),
    ['Engines', 'What they can do', 'Ada L', 'Sea'],
  )
  const card = find(parts, 'p-author')!
  ok(classesOf(card).includes('h-card'))
  equal(attributeOf(card, 'href'), `/@${author.handle}`)
  equal(attributeOf(find(parts, 'u-url'), 'value'), `${world.origin}/@${author.handle}/${post.slug}`)
  equal(attributeOf(find(parts, 'dt-published'), 'datetime'), post.publishedAt)
  ok(textOf(find(parts, 'e-content')).includes('The free part'))
})

test('a creator is an h-card, whose links say that they are the same person', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const socialLinks = [{ label: 'Site', url: 'https://ada.example/' }]
  const body = { bio: 'Essays.', location: 'London', socialLinks }
  equal((await author.publisher.calls(updateProfile, { body })).status, 200)
  const { text } = await visit(world, `/@${author.handle}`)
  const [card, ...others] = elementsOf(text).filter((each) => classesOf(each).includes('h-card'))
  deepEqual(others, [])
  const parts = within(card!)
  deepEqual(
    ['p-name', 'p-nickname', 'p-note', 'p-locality'].map((name) => textOf(find(parts, name))),
    ['Ada L', author.handle, 'Essays.', 'London'],
  )
  equal(attributeOf(find(parts, 'u-uid'), 'value'), `/@${author.handle}`)
  const link = parts.find((each) => attributeOf(each, 'href') === 'https://ada.example/')!
  ok(attributeOf(link, 'rel')!.split(' ').includes('me') && classesOf(link).includes('u-url'))
})
