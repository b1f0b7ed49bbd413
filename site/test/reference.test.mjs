// The documentation: its search, its samples, and calling an operation.
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('one search finds guides and operations, on both kinds of pages', async () => {
  const { page, complaints } = await openPage(world)
  for (const path of ['/docs', '/docs/quick-start']) {
    await page.goto(world.origin + path)
    await page.getByRole('searchbox', { name: 'Search the docs' }).fill('CHECKOUT tip')
    const results = page.locator('.docs-search .results')
    await results.getByRole('link', { name: /^createTipCheckout/ }).waitFor()
    await results.getByRole('link', { name: /^Tip / }).first().waitFor()
    match(await page.locator('.docs-search [role=status]').textContent(), /^\d+ results$/)
    deepEqual(await accessibilityViolations(page), [])
    await results.getByRole('link', { name: /^createTipCheckout/ }).click()
    await page.waitForURL(`${world.origin}/docs#createTipCheckout`)
    equal(await page.locator('#createTipCheckout > details').getAttribute('open'), '')
    equal(await results.count(), 0)
  }
  deepEqual(complaints, [])
})

test('the chosen language of samples is remembered, and a sample can be copied', async () => {
  const { page, complaints, context } = await openPage(world)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${world.origin}/docs/quick-start`)
  const first = page.locator('.samples').first()
  equal(await first.locator('pre:visible').count(), 1)
  await first.getByText('Python', { exact: true }).click()
  await page.goto(`${world.origin}/docs/sell-files`)
  equal(await first.getByRole('radio', { name: 'Python' }).isChecked(), true)
  await first.getByRole('button', { name: 'Copy this sample' }).click()
  match(await page.evaluate(() => navigator.clipboard.readText()), /^import json, os\n(?!.*Copy)/s)
  deepEqual(complaints, [])
})

test('guides are accessible, light and dark, on a desk and on a phone', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, complaints } = await openPage(world)
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      for (const path of [
        '/docs',
        '/docs/quick-start',
        '/docs/settings',
        '/docs/changelog',
        '/problems/rate-limited',
      ]) {
        await page.goto(world.origin + path)
        deepEqual(await accessibilityViolations(page), [], `${path} ${colorScheme}`)
        equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${path} ${width}`)
      }
    }
    deepEqual(complaints, [])
  }
})

test('an operation can be called from its entry, with an example to start from', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/docs`)
  await page.getByRole('button', { name: 'Try it: listPublicPosts', exact: true }).click()
  await page.getByLabel('q (query)', { exact: true }).fill('keeper')
  deepEqual(await accessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  match(await page.locator('dialog [role=status]').textContent(), /^200.*"data": \[/s)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Try it: createPost', exact: true }).click()
  match(await page.getByLabel('Body').inputValue(), /"title":/)
  await page.getByLabel('Token').fill('nonsense')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  match(await page.locator('dialog [role=status]').textContent(), /^401.*"unauthorized"/s)
  deepEqual(
    complaints.filter((text) => !text.includes('401')),
    [],
  )
})
