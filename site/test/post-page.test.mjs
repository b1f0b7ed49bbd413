// The page of a post: its URL, sharing, footnotes, link cards, printing, what to read next.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, contentWidth, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { payNanoLink } from './payments.mjs'
import { publish } from './people.mjs'
import { readQr } from './read-qr.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld(createFixture)
const canonical = () => `${world.origin}/@ada_marlow/eleven-years-of-wind`

test('a post moves with its title, and old links lead to it', async () => {
  const { ada } = world.fixture
  const postId = await publish(ada, { title: 'Åre in März', freeContentMarkdown: 'Snow.', category: 'culture' })
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/@ada_marlow`)
  await page.getByRole('link', { name: 'Åre in März' }).click()
  await page.waitForURL(`${world.origin}/@ada_marlow/are-in-marz`)
  const { body: post } = await ada.publisher.getPost({ params: { postId } })
  await ada.publisher.updatePost({
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: '雪' },
  })
  // Not from the cache, which may have the page for half a minute.
  await page.goto(`${world.origin}/@ada_marlow/are-in-marz?again`)
  equal(decodeURI(page.url()), `${world.origin}/@ada_marlow/雪`)
  equal(await page.locator('h1').textContent(), '雪')
  deepEqual(complaints, [])
})

test('a reader shares the canonical link: by an app, by copying, by its QR code', async () => {
  const { page, complaints, context } = await openPage(world)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.addInitScript(() => {
    globalThis.shared = []
    Object.defineProperty(navigator, 'share', { value: async (data) => globalThis.shared.push(data) })
  })
  await page.goto(`${world.origin}/posts/${world.fixture.postId}?gift=nothing`, { waitUntil: 'networkidle' })
  const open = page.locator('.post-acts').getByRole('button', { name: 'Share' })
  await open.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Share this post' })
  await dialog.waitFor()
  deepEqual(await accessibilityViolations(page, 'sharing'), [])
  equal(await overflowAt(page, 320), undefined)
  equal(await readQr(dialog.locator('.qr')), canonical())
  await dialog.getByRole('button', { name: 'Copy the link' }).click()
  await page.getByText('The link is in your clipboard.').waitFor()
  equal(await page.evaluate(() => navigator.clipboard.readText()), canonical())
  await dialog.getByRole('button', { name: 'Share with an app' }).click()
  deepEqual(await page.evaluate(() => globalThis.shared), [{ title: 'Eleven years of wind', url: canonical() }])
  await page.keyboard.press('Escape')
  equal(await dialog.count(), 0)
  ok(await open.evaluate((button) => button === document.activeElement))
  deepEqual(complaints, [])
})

test('a browser without a share menu offers the link and the code only', async () => {
  const { page } = await openPage(world)
  await page.addInitScript(() => {
    delete Navigator.prototype.share
  })
  await page.goto(canonical(), { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Copy the link' }).waitFor()
  equal(await page.getByRole('button', { name: 'Share with an app' }).count(), 0)
})

test('what to read next is between the author and the comments, and nothing moves when it comes', async () => {
  for (const title of [
    'Calm',
    'A gale that has a title so long that it takes more than two lines on a small screen',
    'Fog',
  ])
    await publish(world.fixture.ada, { title, freeContentMarkdown: 'Air.', category: 'culture' })
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 320, height: 640 },
  ]) {
    const { page, complaints } = await openPage(world, { viewport })
    let answer = () => {}
    const held = new Promise((resolve) => {
      answer = resolve
    })
    await page.route('**/related*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(canonical())
    ok(await page.locator('.author-card').getByText('Essays on weather, work and the sea.').isVisible())
    // Everything else that scripts show is there.
    await page.locator('.author-card').getByRole('button', { name: 'Follow' }).waitFor()
    await page.locator('[data-paywall][data-known]').waitFor()
    const topOf = (selector) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().top + scrollY)
    const before = await topOf('#comments')
    answer()
    await page.getByRole('heading', { name: 'Read next' }).waitFor()
    equal(await page.locator('.related li').count(), 3)
    equal(Math.round(await topOf('#comments')), Math.round(before), `at ${viewport.width}`)
    ok((await topOf('.author-card')) < (await topOf('.related')) && (await topOf('.related')) < before)
    for (const link of await page.locator('.related a').all())
      match(await link.getAttribute('href'), /^\/@\w+\/[\w%-]+$/)
    equal(await contentWidth(page), viewport.width)
    deepEqual(complaints, [])
  }
})

test('without anything to read next the page has no empty place for it', async () => {
  const { page } = await openPage(world)
  await page.route('**/related*', (route) => route.fulfill({ json: { data: [] } }))
  await page.goto(canonical())
  await page.locator('.related').waitFor({ state: 'detached' })
})

const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

test('a footnote in the paid part: its link leads to the paywall, and after the purchase to the note and back', async () => {
  const postId = await publish(world.fixture.ada, {
    title: 'Notes for those who pay',
    freeContentMarkdown: `The boat came late.[^boat]\n\n${'A long day.\n\n'.repeat(40)}`,
    paidContentMarkdown: `${'A long night.\n\n'.repeat(40)}[^boat]: By eleven hours.\n`,
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: `25${'0'.repeat(28)}`,
    category: 'culture',
  })
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
  ok(!(await page.content()).includes('By eleven hours'))
  const reference = page.locator('[role=doc-noteref]')
  await reference.click()
  await until(() => isInView(page.getByRole('heading', { name: 'Keep reading' })))
  await page.getByRole('button', { name: 'Pay with Nano' }).click()
  const link = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  await payNanoLink(world, link)
  const note = page.locator('[data-whole] .footnotes li', { hasText: 'By eleven hours.' })
  await note.waitFor()
  await reference.click()
  await until(() => isInView(note))
  await note.locator('[role=doc-backlink]').click()
  await until(() => isInView(reference))
  deepEqual(complaints, [])
})

const formatted = `A line.

https://example.org/a/long/path/to/something?with=query

| left | centre | right |
|:-----|:------:|------:|
| a    | b      | 1234  |
`

test('tables keep their alignment, and a link alone is a card that asks nobody for anything', async () => {
  const postId = await publish(world.fixture.ada, {
    title: 'Tables',
    freeContentMarkdown: formatted,
    category: 'culture',
  })
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
  const alignments = await page
    .locator('.prose td')
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).textAlign))
  deepEqual(alignments, ['left', 'center', 'right'])
  const card = page.locator('.prose .link-card')
  equal(await card.getAttribute('href'), 'https://example.org/a/long/path/to/something?with=query')
  equal(await card.locator('strong').textContent(), 'example.org')
  deepEqual(await accessibilityViolations(page, 'a link card'), [])
  equal(await overflowAt(page, 320), undefined)
  // Complaints would name requests to other hosts.
  deepEqual(complaints, [])
})

test('a title of a script from right to left is on the right, also in lists', async () => {
  await publish(world.fixture.ada, {
    title: 'רוח על הים',
    freeContentMarkdown: 'שלום',
    category: 'culture',
    language: 'he',
  })
  const { page } = await openPage(world)
  await page.goto(`${world.origin}/@ada_marlow`)
  const directionOf = (locator) => locator.evaluate((element) => getComputedStyle(element).direction)
  const listed = page.getByRole('heading', { name: 'רוח על הים' })
  equal(await directionOf(listed), 'rtl')
  await listed.getByRole('link').click()
  await page.waitForURL(/\/@ada_marlow\/%D7/)
  equal(await directionOf(page.locator('h1')), 'rtl')
  equal(await directionOf(page.locator('.prose')), 'rtl')
})

test('on paper a post is its article alone, in black on white', async () => {
  const { page } = await openPage(world, { colorScheme: 'dark' })
  await page.goto(canonical(), { waitUntil: 'networkidle' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  ok(await page.getByRole('heading', { name: 'Eleven years of wind' }).isVisible())
  ok(await page.locator('.prose').isVisible())
  ok(await page.locator('.disclosure').isVisible())
  const others = [
    '.bar',
    '.foot',
    '.paywall',
    '.post-acts',
    '.tags',
    '.author-card',
    '.related',
    '.comments',
    'main > p',
  ]
  for (const selector of others) {
    ok((await page.locator(selector).count()) > 0, selector)
    equal(await page.locator(selector).first().isVisible(), false, selector)
  }
  equal(
    await page
      .locator('.prose p')
      .first()
      .evaluate((element) => getComputedStyle(element).color),
    'rgb(0, 0, 0)',
  )
})
