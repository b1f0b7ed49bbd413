// The first administrator makes the site their own.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { codeFor, openPage, until, useWorld } from './world.mjs'

const world = useWorld()

async function continueWithEmail(page, email) {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue with email' }).click()
  await page.getByLabel('Code').fill(await codeFor(world, email))
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

test('the printed link leads to the settings of the site; a name, a page and an invitation take effect', async () => {
  const link = await until(() => /http\S+\/claim#token=\S+/.exec(world.output())?.[0])
  const admin = await openPage(world)
  const { page } = admin
  await page.goto(link)
  await page.waitForURL(/\/sign-in\?next=/)
  ok(!page.url().includes('svcac_'), 'the token is not sent to the server')
  await continueWithEmail(page, 'operator@example.org')
  await page.waitForURL(`${world.origin}/claim`)
  await page.getByRole('button', { name: 'Become the administrator' }).click()
  await page.waitForURL(`${world.origin}/admin/site`)

  await page.locator('[name=name]').fill('The Gazette')
  await page.locator('[name=accentColor]').fill('#ffff00')
  await page.locator('[name=navigation]').fill('Our shop https://shop.example/a\nHelp /about')
  await page.locator('[name=aboutMarkdown]').fill('We are *two* people.')
  await page.locator('[name=registration]').selectOption('invite')
  await page.getByRole('button', { name: 'Save' }).click()
  match(await page.locator('.wrong').first().textContent(), /must be darker/i)
  await page.locator('[name=accentColor]').fill('#1a4fa8')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  // The site is empty, so the next step is its first post.
  equal(await page.getByRole('link', { name: 'Next: write the first post' }).getAttribute('href'), '/studio')
  deepEqual(await accessibilityViolations(page, 'site settings'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.reload()
  equal(await page.locator('[name=navigation]').inputValue(), 'Our shop https://shop.example/a\nHelp /about')

  await page.goto(`${world.origin}/admin`)
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
  ok(await page.getByRole('link', { name: 'Open reports' }).isVisible())
  match(await page.locator('.overview-figures div', { hasText: 'Accounts' }).textContent(), /Accounts1 1 new this week/)
  await page.getByRole('link', { name: 'Failed jobs' }).click()
  await page.waitForURL(`${world.origin}/admin/jobs`)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.waitForURL(`${world.origin}/admin`)

  await page.goto(`${world.origin}/admin/invitations`)
  await page.getByLabel('For whom').fill('Mira')
  await page.getByRole('button', { name: 'Make an invitation' }).click()
  const url = await page.locator('.copyable code').textContent()
  deepEqual(await accessibilityViolations(page, 'invitations'), [])

  const home = await admin.context.newPage()
  await home.goto(world.origin, { waitUntil: 'networkidle' })
  deepEqual(await home.locator('.welcome .checklist li.done').allTextContents(), [
    'Choose a name, a logo and who may sign up',
  ])
  ok(await home.locator('.welcome .checklist').getByRole('link', { name: 'Write the first post' }).isVisible())
  deepEqual(await accessibilityViolations(home, 'welcome'), [])
  await home.close()

  const stranger = await openPage(world)
  await stranger.page.goto(world.origin, { waitUntil: 'networkidle' })
  ok(await stranger.page.getByRole('heading', { name: 'No posts yet' }).isVisible())
  equal(await stranger.page.getByText('Set up your site').isVisible(), false)
  await stranger.page.goto(`${world.origin}/about`)
  equal(await stranger.page.title(), 'About · The Gazette')
  ok(await stranger.page.getByRole('link', { name: 'Our shop' }).isVisible())
  equal(
    await stranger.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()),
    '#1a4fa8',
  )
  await stranger.page.goto(url)
  await continueWithEmail(stranger.page, 'mira@example.org')
  await stranger.page.waitForURL(`${world.origin}/`)
  await stranger.page.getByLabel('Your account').waitFor()
  await page.reload()
  await page.getByText('Used 1 of 1 times').waitFor()
  // The browser itself logs the colour that was refused.
  deepEqual(
    [...admin.complaints, ...stranger.complaints].filter((complaint) => !complaint.includes('422')),
    [],
  )
})
