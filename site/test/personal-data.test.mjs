// Taking everything along, and leaving.
import { deepEqual, equal, match } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { advanceClock } from './payments.mjs'
import { renewSession, signIn } from './people.mjs'
import { codeFor, openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

/** Signs in and opens the page. An address gets one code a minute, and the fixture has signed up with it. */
async function openYourData(person) {
  await advanceClock(world, 61)
  await renewSession(world, person)
  const opened = await openPage(world)
  await signIn(opened, world, person)
  await opened.page.goto(`${world.origin}/settings/data`)
  return opened
}

test('an author exports everything with a code by email', async () => {
  const { ada } = world.fixture
  const { page, complaints } = await openYourData(ada)
  deepEqual(await accessibilityViolations(page, 'your data'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  const code = await codeFor(world, ada.email, /exports your/)
  // A wrong code is sent once: it has few tries.
  let tries = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/account/exports')) tries += 1
  })
  await page.getByLabel('Code').fill(code === '111111' ? '222222' : '111111')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByText('The code is wrong').waitFor()
  equal(tries, 1)
  complaints.length = 0 // the refused request
  await page.getByLabel('Code').fill(code)
  deepEqual(await accessibilityViolations(page, 'code for an export'), [])
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

test('an author types their handle and a code, and their page is gone', async () => {
  const { wren } = world.fixture
  const { page } = await openYourData(wren)
  await page.getByText('Posts that were sold.').waitFor()
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog')
  equal(await dialog.getByRole('button', { name: 'Email me a code' }).count(), 0)
  await dialog.getByLabel('Type your handle').fill('wren_bot')
  deepEqual(await accessibilityViolations(page, 'deletion'), [])
  equal(await overflowAt(page, 320), undefined)
  await dialog.getByRole('button', { name: 'Email me a code' }).click()
  await dialog.getByLabel('Code').fill(await codeFor(world, wren.email, /deletes your/))
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await dialog.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
  await dialog.getByRole('link', { name: 'Home' }).click()
  await page.waitForURL(`${world.origin}/`)
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  equal((await fetch(`${world.origin}/@wren_bot`)).status, 404)
  equal((await (await fetch(world.origin)).text()).includes('/@wren_bot'), false)
})
