// Earnings, transactions and payouts.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { accessibilityViolations, contentWidth } from './accessibility.mjs'
import { createFixture, tradeForAMonth } from './fixture.mjs'
import { buyWithUsdc, createOrder, payOrder, tip } from './payments.mjs'
import { nanoAddress, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('a creator whose payout has no address sees it, saves an address, confirms it and is paid', async () => {
  const { tomas, wren, ada } = world.fixture
  const { body: posts } = await tomas.publisher.listPosts({})
  const sold = posts.data.find(({ title }) => title.includes('queues'))
  const order = await createOrder(wren, sold.id)
  for (const { id } of posts.data) await tomas.publisher.withdrawPost({ params: { postId: id } })
  await tomas.owner.clearPayoutAddress()
  await payOrder(world, wren, order)

  // An administrator sees the obligation, but cannot choose its address.
  const admin = await openPage(world)
  await signIn(admin, world, ada)
  await admin.page.goto(`${world.origin}/admin/obligations`)
  await admin.page.getByText('Only the creator can choose the address').waitFor()
  equal(await admin.page.getByRole('button', { name: 'Try again' }).count(), 0)
  deepEqual(await accessibilityViolations(admin.page), [])
  await admin.page.goto(`${world.origin}/admin/jobs`)
  await admin.page.getByText('No job has failed for good.').waitFor()
  deepEqual(await accessibilityViolations(admin.page), [])

  const creator = await openPage(world)
  const { page } = creator
  await signIn(creator, world, tomas)
  await page.goto(`${world.origin}/studio/earnings/payouts`)
  await page.getByRole('heading', { name: /XNO waits for you/ }).waitFor()
  deepEqual(await accessibilityViolations(page), [])
  await page.getByRole('link', { name: 'Save a Nano address first' }).click()
  await page.getByLabel('Nano address').fill(nanoAddress)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Your Nano address is saved.').waitFor()
  await page.goto(`${world.origin}/studio/earnings/payouts`)
  await page.getByRole('button', { name: 'Send it there' }).click()
  await page.getByText('It is on its way to you.').waitFor()
  await until(async () => {
    await page.reload()
    await page.locator('.rows .badge').first().waitFor()
    return (await page.locator('.rows .badge.good').count()) > 0
  })
  equal(await page.getByRole('heading', { name: /waits for you/ }).count(), 0)
  match(await page.locator('.hash code').first().getAttribute('title'), /^[0-9A-F]{64}$/)
  deepEqual([...creator.complaints, ...admin.complaints], [])
})

test('earnings in total, by day, by post and by rail; transactions filtered and as CSV', async () => {
  const { ada, wren, postId } = world.fixture
  const reader = await openPage(world)
  await signIn(reader, world, wren)
  await reader.page.goto(`${world.origin}/studio/earnings/overview`)
  await reader.page.getByText('No earnings yet.').waitFor()
  deepEqual(await accessibilityViolations(reader.page), [])

  const hasUsdc = await buyWithUsdc(world, postId)
  await tip(world, wren, postId, 15n * 10n ** 29n, 'Thank you')
  const creator = await openPage(world)
  const { page } = creator
  await signIn(creator, world, ada)
  await page.goto(`${world.origin}/studio/earnings/overview`)
  await page.locator('.totals').waitFor()
  ok(await page.locator('.totals').getByText('1.5 XNO').isVisible())
  equal(await page.getByRole('img', { name: 'Received in Nano. Most on' }).count(), 1)
  equal(await page.locator('.chart').count(), hasUsdc ? 2 : 1)
  await page.getByText('View as table').click()
  ok(await page.getByRole('columnheader', { name: 'Day' }).isVisible())
  equal(await page.locator('.by-post tbody tr').count(), 1)
  for (const range of ['Year', 'Week']) {
    await page.getByRole('button', { name: range }).click()
    await page.locator(`.tabs [aria-pressed=true]`, { hasText: range }).waitFor()
    deepEqual(await accessibilityViolations(page), [])
  }

  await page.goto(`${world.origin}/studio/earnings/transactions`)
  await page.locator('.rows li').first().waitFor()
  const all = await page.locator('.rows li').count()
  // The tip, the USDC sale if there is one, and what Ada bought herself.
  equal(all, hasUsdc ? 3 : 2)
  await page.getByLabel('Payment method').selectOption('XNO')
  await page.getByText('2 payments', { exact: true }).waitFor()
  deepEqual(await accessibilityViolations(page), [])
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ])
  match(file.suggestedFilename(), /^transactions-\d{4}-\d{2}-\d{2}\.csv$/)
  const rows = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  equal(rows.length, 3)
  match(rows[1], /,in,tip,\w+,XNO,1\.5,0,1\.5,wren_bot,/)
  deepEqual([...creator.complaints, ...reader.complaints], [])
})

for (const colorScheme of ['light', 'dark'])
  test(`a month of earnings is accessible and fits a narrow window (${colorScheme})`, async () => {
    if (colorScheme === 'light') await tradeForAMonth(world, world.fixture)
    const narrow = await openPage(world, { viewport: { width: 320, height: 640 }, colorScheme })
    await signIn(narrow, world, world.fixture.ada)
    for (const section of ['overview', 'transactions', 'payouts']) {
      await narrow.page.goto(`${world.origin}/studio/earnings/${section}`, { waitUntil: 'networkidle' })
      deepEqual(await accessibilityViolations(narrow.page), [])
      equal(await contentWidth(narrow.page), 320, narrow.page.url())
    }
    deepEqual(narrow.complaints, [])
  })
