// Rules that hold for every page.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { contentWidth } from './accessibility.mjs'
import { visitAllPages } from './all-pages.mjs'
import { createFixture } from './fixture.mjs'
import { signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('every page fits a window 320 pixels wide, with the bar in one row, also with a long name, links and unread notifications', async () => {
  const [wide, tall] = [[], []]
  await visitAllPages(world, { viewport: { width: 320, height: 640 } }, async (page, path) => {
    const contentAt320 = await contentWidth(page)
    if (contentAt320 > 320) wide.push(`${path}: ${contentAt320}`)
    const parts = page.locator('.bar > div > *:visible, .bar-nav > *:visible, .account > *:visible')
    const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
    const { height } = await page.locator('.bar').boundingBox()
    const isOneRow = boxes.every(({ y, height: own }) => Math.abs(y + own / 2 - height / 2) < 6)
    const isInside = boxes.every(({ x, width }) => x >= 0 && x + width <= 320)
    if (!isOneRow || !isInside || height > 60) tall.push(`${path}: ${height} ${JSON.stringify(boxes)}`)
  })
  deepEqual({ wide, tall }, { wide: [], tall: [] })
  const { page } = await openPage(world, { viewport: { width: 320, height: 640 } })
  await page.goto(`${world.origin}/leaderboards`)
  await page.evaluate(() => {
    document.querySelector('.brand span').textContent = 'The Gazette of the Outer Hebrides and of Skye'
  })
  equal(await contentWidth(page), 320)
  const { height } = await page.locator('.bar').boundingBox()
  ok(height <= 60, String(height))
  // The search is one touch away.
  await page.locator('.bar').getByRole('link', { name: 'Search' }).click()
  await page.waitForURL(`${world.origin}/#search`)
  ok(await page.getByLabel('Search posts').evaluate((element) => element === document.activeElement))
  ok(await page.locator('.foot').getByRole('link', { name: 'Top authors' }).isVisible())
})

test('every page begins at the edge where the name of the site begins', async () => {
  const others = []
  await visitAllPages(world, { viewport: { width: 1280, height: 900 } }, async (page, path) => {
    // The API reference has its contents on that side.
    if (path === '/docs') return
    const brand = await page.locator('.brand').boundingBox()
    const heading = await page.locator('main h1, main h2, .title-input').first().boundingBox()
    if (Math.abs(brand.x - heading.x) > 1) others.push(`${path}: ${heading.x} instead of ${brand.x}`)
  })
  deepEqual(others, [])
})

test('notifications are in groups by day, and those of one kind about one post are one', async () => {
  const visitor = await openPage(world, { viewport: { width: 320, height: 640 } })
  const { page, complaints } = visitor
  await signIn(visitor, world, world.fixture.ada)
  await page.goto(`${world.origin}/notifications`, { waitUntil: 'networkidle' })
  deepEqual(await page.locator('.day').allTextContents(), ['Today'])
  const followers = page.locator('.notifications > li').filter({ hasText: 'follow' }).first()
  await followers.getByText('1 more').waitFor()
  const text = await page.locator('.notifications a.title').first().boundingBox()
  ok(text.width > 150, String(text.width))
  deepEqual(complaints, [])
})

test('a post loads less than 25 KB of scripts and has nothing inline', async () => {
  const { page, complaints } = await openPage(world)
  const sizes = []
  page.on('response', async (response) => {
    if (response.request().resourceType() === 'script') sizes.push(response.request().sizes())
  })
  const reply = await page.goto(`${world.origin}/posts/${world.fixture.postId}`, { waitUntil: 'networkidle' })
  const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
  ok(bytes > 1000 && bytes < 25_000, String(bytes))
  const script = await page.evaluate(() => document.querySelector('script[type=module]').src)
  const { headers } = await fetch(script, { headers: { 'accept-encoding': 'br' } })
  equal(headers.get('content-encoding'), 'br')
  equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  ok(!reply.headers()['content-security-policy'].includes('unsafe'))
  equal(await page.locator('style, [style], script:not([src]):not([type="application/ld+json"])').count(), 0)
  deepEqual(complaints, [])
})

test('what a script renders takes the place of what the server rendered', async () => {
  const { page, context } = await openPage(world)
  const url = `${world.origin}/posts/${world.fixture.postId}`
  const tip = page.locator('.post-acts').getByRole('button', { name: 'Tip author' })
  await page.goto(url, { waitUntil: 'networkidle' })
  equal(await tip.count(), 1)
  await signIn({ page, context }, world, world.fixture.ada)
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Gift link' }).waitFor()
  // Nobody tips themselves.
  equal(await tip.count(), 0)
})

test('keyboard shortcuts move, search and list themselves; the theme button cycles and is remembered', async () => {
  const { page } = await openPage(world)
  await page.goto(world.origin)
  await page.locator('[data-tools] button').first().waitFor()
  await page.keyboard.press('?')
  ok(await page.getByRole('dialog', { name: 'Keyboard' }).isVisible())
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  equal(await page.locator('.current h2').textContent(), await page.locator('[data-item] h2').first().textContent())
  await page.keyboard.press('/')
  ok(await page.getByLabel('Search posts').evaluate((element) => element === document.activeElement))
  const theme = page.getByRole('button', { name: 'Colours' })
  await theme.click()
  await theme.click()
  await page.reload()
  equal(await page.locator('html').getAttribute('data-theme'), 'dark')
})
