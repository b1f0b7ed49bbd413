// Taking everything along.
import { deepEqual, equal, match } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { signIn } from './people.mjs'
import { codeFor, openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('an author exports everything with a code by email', async () => {
  const { ada } = world.fixture
  const { page, complaints } = await openPage(world)
  await signIn({ page }, world, ada)
  await page.goto(`${world.origin}/settings/data`)
  deepEqual(await accessibilityViolations(page, 'your data'), [])
  await page.getByRole('button', { name: 'Email me a code' }).first().click()
  await page.getByLabel('Code').fill(await codeFor(world, ada.email))
  deepEqual(await accessibilityViolations(page, 'code for an export'), [])
  equal(await overflowAt(page, 320), undefined)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  match(download.suggestedFilename(), /^ada_marlow-\d{4}-\d\d-\d\d\.zip$/)
  const bytes = await readFile(await download.path())
  equal(bytes.subarray(0, 4).toString('latin1'), 'PK\x03\x04')
  equal(bytes.includes('posts/series.json'), true)
  await page.getByText('Your download has started.').waitFor()
  deepEqual(complaints, [])
})
