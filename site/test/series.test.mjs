// Series of posts.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, contentWidth } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { publish, signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('an author puts posts in an order, and readers go from one to the next', async () => {
  const { ada } = world.fixture
  const ids = []
  for (const title of ['Part one', 'Part two'])
    ids.push(await publish(ada, { title, description: 'Of two.', freeContentMarkdown: 'Hello.', category: 'culture' }))
  const author = await openPage(world)
  const { page } = author
  await signIn(author, world, ada)
  await page.goto(`${world.origin}/studio/series`)
  await page.getByText('No series yet.').waitFor()
  deepEqual(await accessibilityViolations(page), [])
  await page.getByLabel('Title').fill('Parts')
  await page.getByRole('button', { name: 'Create series' }).click()
  const series = page.getByRole('region', { name: 'Parts' })
  await series.getByText('No posts in it yet.').waitFor()
  await series.getByLabel('Add a post').selectOption({ label: 'Part two' })
  await series.getByText('1 post, in this order:').waitFor()
  await series.getByLabel('Add a post').selectOption({ label: 'Part one' })
  await series.getByText('2 posts, in this order:').waitFor()
  await series.getByRole('button', { name: /^Up ?: Part one$/ }).click()
  await series.getByRole('button', { name: /^Down ?: Part one$/ }).waitFor()
  deepEqual(await series.locator('.rows .title').allTextContents(), ['Part one', 'Part two'])
  deepEqual(await accessibilityViolations(page), [])

  const reader = await openPage(world, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
  await reader.page.goto(`${world.origin}/posts/${ids[0]}`)
  const navigation = reader.page.getByRole('navigation', { name: 'Series: Parts' })
  await navigation.getByText('Part 1 of 2 in Parts').waitFor()
  deepEqual(await accessibilityViolations(reader.page), [])
  equal(await contentWidth(reader.page), 320)
  await navigation.getByRole('link', { name: 'Part two' }).click()
  await reader.page.getByRole('heading', { level: 1, name: 'Part two' }).waitFor()
  ok(await reader.page.getByRole('link', { name: 'Part one' }).first().isVisible())

  // What to read after a post, in the author's own order.
  await page.goto(`${world.origin}/studio`)
  const openDialog = async () => {
    await page.locator('.rows > li', { hasText: 'Part one' }).first().getByRole('button', { name: 'Read next' }).click()
    return page.getByRole('dialog', { name: 'Read next' })
  }
  let dialog = await openDialog()
  await dialog.getByText('None chosen.').waitFor()
  const titles = (await dialog.locator('option').allTextContents()).filter((title) => !/Choose|Part/.test(title))
  await dialog.getByLabel('Add a post').selectOption({ label: titles[0] })
  await dialog.getByLabel('Add a post').selectOption({ label: 'Part two' })
  await dialog.getByRole('button', { name: /^Up ?: Part two$/ }).click()
  await dialog.getByText('Not saved yet.').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Saved: 2 posts.').waitFor()
  deepEqual(await accessibilityViolations(page), [])
  const chosen = async () => (await ada.publisher.getChosenPosts({ params: { postId: ids[0] } })).body.postIds
  equal((await chosen()).length, 2)
  equal((await chosen())[0], ids[1])
  await page.reload()
  dialog = await openDialog()
  await dialog.getByRole('button', { name: /^Down ?: Part two$/ }).waitFor()
  equal(await dialog.locator('ol.rows li').count(), 2)
  await dialog.getByRole('button', { name: /^Remove ?: Part two$/ }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Saved: 1 post.').waitFor()
  equal((await chosen()).length, 1)
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.setViewportSize({ width: 320, height: 640 })
  for (const path of ['/studio', '/studio/series']) {
    await page.goto(world.origin + path, { waitUntil: 'networkidle' })
    equal(await contentWidth(page), 320, path)
  }
  deepEqual([...author.complaints, ...reader.complaints], [])
})
