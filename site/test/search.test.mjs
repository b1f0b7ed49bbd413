// The home page and its search.
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations } from './accessibility.mjs'
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

test('the search field suggests posts, authors and tags, which the keyboard can choose', async () => {
  const { page, complaints } = await openPage(world)
  const requests = []
  page.on('request', (request) => request.url().includes('/suggestions') && requests.push(request.url()))
  await page.goto(world.origin, { waitUntil: 'networkidle' })
  deepEqual(requests, [])
  const field = page.getByLabel('Search posts')
  await field.pressSequentially('tid', { delay: 20 })
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
  const path = await chosen.getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL(world.origin + path)
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
