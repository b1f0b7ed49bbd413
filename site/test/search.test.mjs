// The home page and its search.
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createFixture } from './fixture.mjs'
import { signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

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
