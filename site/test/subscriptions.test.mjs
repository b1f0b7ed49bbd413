// Getting new posts by email, and the author's list of subscribers.
import { deepEqual, equal, match } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { publish, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'
import { openDrawer } from './writing.mjs'

const world = useWorld(createFixture)
const post = () => `${world.origin}/posts/${world.fixture.postId}`

/** The newest email to an address, once it has come. */
const emailTo = (address) =>
  until(async () => {
    const reply = await fetch(`${world.origin}/dev/mail?to=${encodeURIComponent(address)}`)
    return (await reply.json()).messages[0]
  })

test('a reader without an account subscribes below a post, confirms, and unsubscribes', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(post(), { waitUntil: 'networkidle' })
  await page.getByLabel('Email address').fill('reader@example.org')
  deepEqual(await accessibilityViolations(page, 'post with the form'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('Confirm with the link we emailed to reader@example.org.').waitFor()
  const { text } = await emailTo('reader@example.org')
  await page.goto(/http\S+\/subscriptions\/confirm\S+/.exec(text)[0])
  deepEqual(await accessibilityViolations(page, 'confirmation'), [])
  await page.getByRole('button', { name: 'Confirm subscription' }).click()
  await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
  deepEqual(complaints, [])
})

test('a reader who is signed in subscribes with one click; the author imports, exports and removes', async () => {
  const { page } = await openPage(world)
  await signIn({ page }, world, world.fixture.tomas)
  await page.goto(`${world.origin}/@ada_marlow`, { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('You’re subscribed.').waitFor()

  const { page: studio, complaints } = await openPage(world)
  await signIn({ page: studio }, world, world.fixture.ada)
  await studio.goto(`${world.origin}/studio`)
  await studio.getByRole('link', { name: 'Subscribers' }).click()
  await studio.getByText('tomas_o@example.com').waitFor()
  await studio.getByLabel('Or paste addresses').fill('"Grace" <grace@example.org>, charles@example.org; nobody')
  await studio.getByLabel('Where did these people agree').fill('My newsletter at example.org')
  await studio.getByLabel('I confirm that everyone').check()
  await studio.getByRole('button', { name: 'Import', exact: true }).click()
  await studio.getByText('2 subscribers imported.').waitFor()
  await studio.getByText('grace@example.org').waitFor()
  deepEqual(await accessibilityViolations(studio, 'subscribers'), [])
  equal(await overflowAt(studio, 320), undefined)

  const [download] = await Promise.all([
    studio.waitForEvent('download'),
    studio.getByRole('button', { name: 'Download as CSV' }).click(),
  ])
  match(await readFile(await download.path(), 'utf8'), /^email,source,subscribed_at\r\n.*grace@example\.org,import,/s)

  await studio.getByRole('button', { name: 'Remove grace@example.org' }).click()
  await studio.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await studio.getByText('Removed.').waitFor()
  await studio.getByText('grace@example.org').waitFor({ state: 'detached' })
  deepEqual(complaints, [])
})

test('the author sees a link to the list instead of the form', async () => {
  const { page } = await openPage(world)
  await signIn({ page }, world, world.fixture.ada)
  await page.goto(`${world.origin}/@ada_marlow`)
  await page.getByRole('link', { name: 'Your email subscribers' }).waitFor()
  equal(await page.getByLabel('Email address').count(), 0)
})

test('a post beyond the day’s limit of emails is published, and the studio says that it was not emailed', async () => {
  const { ada } = world.fixture
  await ada.owner.importSubscribers({
    body: { emails: ['limit@example.org'], consent: true, consentSource: 'My newsletter at example.org' },
  })
  const whole = (title) => ({ title, freeContentMarkdown: 'Wind.', category: 'lifestyle' })
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) await publish(ada, whole(title))
  const body = { ...whole('Six'), creationMethod: 'human', creationAttested: true, language: 'en' }
  const { body: draft } = await ada.publisher.createPost({ body })
  const { page, complaints } = await openPage(world)
  await signIn({ page }, world, ada)
  await page.goto(`${world.origin}/studio/posts/${draft.id}`, { waitUntil: 'networkidle' })
  await openDrawer(page)
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByText('Your post is published, but it was not emailed').waitFor()
  await page.getByRole('heading', { name: 'Published' }).waitFor()
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    deepEqual(await accessibilityViolations(page, `not emailed, ${colorScheme}`), [])
  }
  equal(await overflowAt(page, 320), undefined)
  deepEqual(complaints, [])
})
