// The API reference: its search, and calling an operation.
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('the reference finds operations by their name, path and description', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/docs`)
  const field = page.getByRole('searchbox', { name: 'Search operations' })
  const shown = page.locator('article.operation:visible h3')
  const all = await shown.count()
  await field.fill('CHECKOUT tip')
  match(await page.locator('#contents [role=status]').textContent(), new RegExp(`^\\d+ of ${all} operations$`))
  const names = await shown.allTextContents()
  deepEqual([names.includes('createTipCheckout'), names.includes('listPublicPosts')], [true, false])
  await field.fill('')
  equal(await shown.count(), all)
  deepEqual(complaints, [])
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
