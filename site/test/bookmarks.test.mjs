// Posts that a reader saves for later.
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)
const address = () => `${world.origin}/posts/${world.fixture.postId}`

test('a reader saves a post, finds it in the library and removes it', async () => {
  const { page, complaints } = await openPage(world)
  await signIn({ page }, world, world.fixture.tomas)
  await page.goto(`${world.origin}/library/saved`)
  await page.getByText('Nothing saved yet.').waitFor()
  await page.goto(address())
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved. It is in your library.').waitFor()
  await page.reload()
  const saved = page.getByRole('button', { name: 'Saved', exact: true })
  await saved.waitFor()
  equal(await saved.getAttribute('aria-pressed'), 'true')

  await page.goto(`${world.origin}/library`)
  await page.getByRole('link', { name: 'Saved' }).click()
  await page.getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  deepEqual(await accessibilityViolations(page, 'saved'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Nothing saved yet.').waitFor()
  deepEqual(complaints, [])
})

test('a signed-out reader sees why to sign in, and comes back to the post', async () => {
  const { page } = await openPage(world)
  await page.goto(address(), { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Sign in to save this post for later.').waitFor()
  equal(new URL(page.url()).searchParams.get('next'), new URL(address()).pathname)
})
