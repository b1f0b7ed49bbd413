// The home page and its search.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import { accessibilityViolations } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { publish, register, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('a filter applies when it is chosen, and the URL has no empty fields', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(world.origin, { waitUntil: 'networkidle' })
  await page.getByText('Filters', { exact: true }).click()
  await page.locator('select[name=access]').selectOption('paid')
  await page.waitForURL(`${world.origin}/?access=paid`)
  await page.getByRole('link', { name: 'Cheapest' }).click()
  await page.waitForURL(`${world.origin}/?sort=price_asc&access=paid`)
  await page.getByLabel('Search posts').fill('wind')
  await page.getByLabel('Search posts').press('Enter')
  await page.waitForURL(`${world.origin}/?q=wind&sort=price_asc&access=paid`)
  // The fields that were left out of the URL are there again after going back.
  await page.goBack()
  await page.waitForURL(`${world.origin}/?sort=price_asc&access=paid`)
  await page.locator('select[name=access]').selectOption('')
  await page.waitForURL((url) => !url.searchParams.has('access'))
  deepEqual(complaints, [])
})

test('the search field suggests posts, authors and tags, which the keyboard can choose', async () => {
  const { page, complaints } = await openPage(world)
  const requests = []
  page.on('request', (request) => request.url().includes('/suggestions') && requests.push(request.url()))
  await page.goto(world.origin, { waitUntil: 'networkidle' })
  deepEqual(requests, [])
  const field = page.getByLabel('Search posts')
  await field.focus()
  // Three letters without a pause between them, also on a slow machine.
  await field.evaluate((input) => {
    for (const value of ['t', 'ti', 'tid']) {
      input.value = value
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  })
  const options = page.locator('#suggestions').getByRole('option')
  await options.first().waitFor()
  deepEqual(requests, [`${world.origin}/api/search/suggestions?q=tid`])
  equal(await field.getAttribute('aria-expanded'), 'true')
  deepEqual(await accessibilityViolations(page, '/'), [])
  await page.keyboard.press('Escape')
  equal(await field.getAttribute('aria-expanded'), 'false')
  equal(await field.inputValue(), 'tid')
  await field.press('e')
  await options.first().waitFor()
  await page.keyboard.press('ArrowDown')
  const chosen = page.locator('#suggestions').getByRole('option', { selected: true })
  equal(await chosen.getAttribute('id'), await field.getAttribute('aria-activedescendant'))
  // The canonical URL, without a redirect.
  const path = await chosen.getAttribute('href')
  match(path, /^\/@\w+\/[^/]+$/)
  const replies = []
  page.on('response', (reply) => reply.request().isNavigationRequest() && replies.push(reply.status()))
  await page.keyboard.press('Enter')
  await page.waitForURL(world.origin + path)
  deepEqual(replies, [200])
  // The field in the bar of other pages has them too.
  await page.getByLabel('Search posts').pressSequentially('tomas')
  await page.getByRole('option', { name: 'Tomás Okafor Author' }).click()
  await page.waitForURL(`${world.origin}/@tomas_o`)
  deepEqual(complaints, [])
})

test('without scripts a button applies the filters', async () => {
  const { page } = await openPage(world, { javaScriptEnabled: false })
  await page.goto(world.origin)
  await page.getByText('Filters', { exact: true }).click()
  await page.locator('select[name=access]').selectOption('free')
  await page.getByRole('button', { name: 'Apply filters' }).click()
  await page.waitForURL((url) => url.searchParams.get('access') === 'free')
})

test('only guests see what the site is and how to sign up', async () => {
  const visitor = await openPage(world)
  await visitor.page.goto(world.origin, { waitUntil: 'networkidle' })
  equal(await visitor.page.locator('main').getByRole('link', { name: 'Sign up' }).isVisible(), true)
  await signIn(visitor, world, world.fixture.ada)
  await visitor.page.goto(world.origin, { waitUntil: 'networkidle' })
  equal(await visitor.page.locator('.introduction').isVisible(), false)
})

test('the tab of followed authors asks guests to sign in, comes back, and loads to the last post', async () => {
  const visitor = await openPage(world)
  const { page, complaints } = visitor
  await page.goto(world.origin, { waitUntil: 'networkidle' })
  await page.getByRole('link', { name: 'Following' }).click()
  await page.waitForURL(`${world.origin}/sign-in?next=%2Ffollowing&for=following`)
  await page.getByText('Sign in to see new posts of the authors you follow.').waitFor()
  await signIn(visitor, world, world.fixture.wren)
  await page.goto(`${world.origin}/following`, { waitUntil: 'networkidle' })
  const titles = page.locator('.posts h2')
  deepEqual(await titles.allTextContents(), [
    'Eleven years of wind',
    'What a village shop knows about queues',
    'A bread that forgives',
  ])
  equal(await page.getByRole('link', { name: 'Following' }).getAttribute('aria-current'), 'page')
  equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  deepEqual(await accessibilityViolations(page, '/following'), [])
  for (let index = 0; index < 24; index += 1)
    await publish(world.fixture.tomas, {
      title: `Loaf ${index}`,
      freeContentMarkdown: 'Bread.',
      category: 'lifestyle',
    })
  await page.reload({ waitUntil: 'networkidle' })
  equal(await titles.count(), 24)
  await page.getByRole('button', { name: 'Show more' }).click()
  await titles.nth(26).waitFor()
  equal(await titles.count(), 27)
  equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  // A reader who follows nobody sees what to do.
  await signIn(visitor, world, await register(world, { name: 'New', handle: 'new_reader' }))
  await page.goto(`${world.origin}/following`, { waitUntil: 'networkidle' })
  await page.getByText('Follow authors to see what they publish').waitFor()
  deepEqual(complaints, [])
})

test('a cover has its place before it arrives, and nothing moves when it does', async () => {
  const { ada } = world.fixture
  const id = await publish(ada, {
    title: 'A post with a cover',
    description: 'It has a picture.',
    freeContentMarkdown: 'Look.',
    category: 'culture',
  })
  const { body: post } = await ada.publisher.getPost({ params: { postId: id } })
  const bytes = await sharp({ create: { width: 1200, height: 630, channels: 3, background: '#a53' } })
    .png()
    .toBuffer()
  const form = new FormData()
  form.append('file', new Blob([bytes], { type: 'image/png' }), 'cover.png')
  await ada.publisher.uploadPostImage({
    params: { postId: id },
    query: { intent: 'og' },
    headers: { 'x-post-revision': post.updatedAt },
    idempotencyKey: randomUUID(),
    body: form,
  })
  await until(async () => (await ada.publisher.getPost({ params: { postId: id } })).body.ogImageUrl)
  for (const width of [320, 1280]) {
    const { page, complaints, context } = await openPage(world, { viewport: { width, height: 800 } })
    await page.addInitScript(() => {
      window.shifts = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shifts += value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    let release
    const held = new Promise((resolve) => {
      release = resolve
    })
    await page.route('**/thumbnails/**', async (route) => {
      await held
      await route.continue()
    })
    const image = page.locator('.posts img[src^="/thumbnails/"]')
    // Lists follow within seconds.
    await until(async () => {
      await page.goto(`${world.origin}/?sort=newest`)
      return (await image.count()) === 1
    })
    equal(await image.getAttribute('loading'), 'lazy')
    const before = await image.boundingBox()
    ok(before.width >= 80 && before.height >= 80, JSON.stringify(before))
    release()
    await image.evaluate((element) => element.decode())
    deepEqual(await image.boundingBox(), before)
    equal(await page.evaluate(() => window.shifts), 0)
    deepEqual(complaints, [])
    await context.close()
  }
})

test('on a phone, open filters are one row above the posts', async () => {
  const { page } = await openPage(world, { viewport: { width: 320, height: 640 } })
  const top = async (path) => {
    await page.goto(world.origin + path)
    return (await page.locator('.posts > li').first().boundingBox()).y
  }
  const without = await top('/?sort=newest')
  const opened = await top('/?sort=newest&access=paid')
  equal(await page.locator('.search details').getAttribute('open'), '')
  ok(opened - without < 110, `${opened} - ${without}`)
  ok(opened < 500, String(opened))
})

test('authors and tags are among the results', async () => {
  const { page } = await openPage(world)
  await page.goto(`${world.origin}/?q=tomas`)
  await page.getByRole('list', { name: 'Authors' }).getByRole('link', { name: 'Tomás Okafor' }).click()
  await page.waitForURL(`${world.origin}/@tomas_o`)
  await page.goto(`${world.origin}/?q=slow`)
  deepEqual(await accessibilityViolations(page, '/?q=slow'), [])
  await page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'slow things' }).click()
  await page.waitForURL(`${world.origin}/tags/slow-things`)
})
