// Statistics, and the studio's list of posts.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { accessibilityViolations, contentWidth } from './accessibility.mjs'
import { createFixture, tradeForAMonth } from './fixture.mjs'
import { publish, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld(createFixture)

/** Opens a post as a browser that came from another site. All of them have one address. */
const visit = (postId) =>
  fetch(`${world.origin}/posts/${postId}`, { headers: { referer: 'https://news.example.org/item?id=1' } })

test('the list shows what each post has had; a scheduled post has its own tab and can be taken back', async () => {
  const { ada, postId, draftId } = world.fixture
  await visit(postId)
  await until(async () => (await ada.publisher.getPost({ params: { postId } })).body.figures.readers > 0)
  const { body: draft } = await ada.publisher.getPost({ params: { postId: draftId } })
  const { id } = (
    await ada.publisher.createPost({
      body: {
        title: 'For tomorrow',
        freeContentMarkdown: 'Soon.',
        category: 'technology',
        language: 'en',
        creationMethod: 'human',
        creationAttested: true,
      },
    })
  ).body
  const publishAt = new Date(Date.now() + 86_400_000).toISOString()
  equal((await ada.publisher.publishPost({ params: { postId: id }, body: { publishAt } })).status, 200)
  const author = await openPage(world)
  const { page } = author
  await signIn(author, world, ada)
  await page.goto(`${world.origin}/studio`)
  await page.locator('.rows li').first().waitFor()
  match(
    await page.locator('.rows').textContent(),
    /1 reader · \d+ sales?( \([\d.]+% of paywall views\))? · \d+ comments?/,
  )
  ok(await page.getByText(draft.title).first().isVisible())
  match(await page.locator('.rows li').first().textContent(), /, by key …[a-z2-7]{4}/)
  await page.getByRole('button', { name: 'Scheduled' }).click()
  // The list of all posts says so too, so this waits until the others are gone.
  await page.locator('.rows li').nth(1).waitFor({ state: 'detached' })
  await page.getByText(/^\s*scheduled\s*for /).waitFor()
  equal(await page.locator('.rows li').count(), 1)
  deepEqual(await accessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Cancel schedule' }).click()
  await page.getByText('None.').waitFor()
  equal((await ada.publisher.getPost({ params: { postId: id } })).body.scheduledFor, null)
  deepEqual(author.complaints, [])
})

test('statistics of all posts and of one: charts with a table, steps to a sale, sites, CSV', async () => {
  const { ada, postId } = world.fixture
  const author = await openPage(world)
  const { page } = author
  await signIn(author, world, ada)
  await page.goto(`${world.origin}/studio/statistics`)
  await page.getByRole('heading', { name: 'Where readers came from' }).waitFor()
  equal(await page.getByRole('img', { name: /^Readers\. Most on/ }).count(), 1)
  ok(await page.getByRole('rowheader', { name: 'news.example.org' }).isVisible())
  ok(await page.getByRole('rowheader', { name: 'Saw the paywall' }).isVisible())
  await page.getByText('View as table').click()
  ok(await page.getByRole('columnheader', { name: 'Day' }).isVisible())
  for (const range of ['Year', 'Week']) {
    await page.getByRole('button', { name: range }).click()
    await page.locator(`.tabs [aria-pressed=true]`, { hasText: range }).waitFor()
    deepEqual(await accessibilityViolations(page), [])
  }
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ])
  match(file.suggestedFilename(), /^statistics-[\d-]+\.csv$/)
  match(readFileSync(await file.path(), 'utf8'), new RegExp(`^day,post_id,readers[^]*,${postId},1,1,`))
  await page.locator('.posts-read a').first().click()
  await page.waitForURL(`**/studio/posts/${postId}/statistics`)
  await page.getByRole('heading', { name: 'From reading to buying' }).waitFor()
  equal(await page.locator('.posts-read').count(), 0)
  deepEqual(await accessibilityViolations(page), [])
  await page.getByText('Not emailed to subscribers.').waitFor()
  await ada.owner.importSubscribers({
    body: { emails: ['one@example.org', 'two@example.org'], consent: true, consentSource: 'my old newsletter' },
  })
  const mailed = await publish(ada, { title: 'News', freeContentMarkdown: 'Hello.', category: 'culture' })
  await until(async () => (await ada.owner.getMailing({ params: { postId: mailed } })).body.mailing.state === 'done')
  await page.goto(`${world.origin}/studio/posts/${mailed}/statistics`)
  await page.getByText(/^Emailed to 2 of 2 subscribers, done \d/).waitFor()
  deepEqual(await accessibilityViolations(page), [])
  deepEqual(author.complaints, [])
})

for (const colorScheme of ['light', 'dark'])
  test(`statistics are accessible and fit a narrow window (${colorScheme})`, async () => {
    const { ada, postId } = world.fixture
    if (colorScheme === 'light') await tradeForAMonth(world, world.fixture)
    const narrow = await openPage(world, { viewport: { width: 320, height: 640 }, colorScheme })
    await signIn(narrow, world, ada)
    for (const path of ['/studio', '/studio/statistics', `/studio/posts/${postId}/statistics`]) {
      await narrow.page.goto(world.origin + path, { waitUntil: 'networkidle' })
      for (const summary of await narrow.page.getByText('View as table').all()) await summary.click()
      deepEqual(await accessibilityViolations(narrow.page), [])
      equal(await contentWidth(narrow.page), 320, path)
    }
    deepEqual(narrow.complaints, [])
  })
