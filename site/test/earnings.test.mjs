// Earning: what came in, where it went, and what waits for somebody.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { buysWithUsdc, paysFor, quotes, tips, tradeForAMonth } from './market.mjs'
import { buildTown, signsIn } from './town.mjs'
import { openPage, startWorld, until } from './world.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

let world
let town
before(async () => {
  world = await startWorld()
  town = await buildTown(world)
})
after(() => world.close())

/** Nothing serious is wrong with what is shown now, and it fits. */
async function isWell(page, width) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  const faults = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  deepEqual(
    faults.map(({ id, nodes }) => `${page.url()}: ${id} ${nodes.map(({ html }) => html).join()}`),
    [],
  )
  if (width) equal(await page.evaluate(() => document.documentElement.scrollWidth), width, page.url())
}

test('a creator whose payout waits for an address is told, saves one, binds it and is paid', async () => {
  const { tomas, wren, ada } = town
  const { body: posts } = await tomas.publisher.listPosts({})
  const sold = posts.data.find(({ title }) => title.includes('queues'))
  const quote = await quotes(wren, sold.id)
  for (const { id } of posts.data) await tomas.publisher.withdrawPost({ params: { postId: id } })
  await tomas.owner.clearPayoutAddress()
  await paysFor(world, wren, quote)

  // An administrator sees it, and cannot say where it goes.
  const admin = await openPage(world)
  await signsIn(admin, world, ada)
  await admin.page.goto(`${world.origin}/admin/obligations`)
  await admin.page.getByText('Only its creator can say where it goes').waitFor()
  equal(await admin.page.getByRole('button', { name: 'Try again' }).count(), 0)
  await isWell(admin.page)
  await admin.page.goto(`${world.origin}/admin/jobs`)
  await admin.page.getByText('All work is done, or under way.').waitFor()
  await isWell(admin.page)

  const creator = await openPage(world)
  const { page } = creator
  await signsIn(creator, world, tomas)
  await page.goto(`${world.origin}/studio/earnings/payouts`)
  await page.getByRole('heading', { name: /XNO waits for you/ }).waitFor()
  await isWell(page)
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

test('earnings in all, by day, by Post and by rail; the lines, filtered, and as a file', async () => {
  const { ada, wren, postId } = town
  const reader = await openPage(world)
  await signsIn(reader, world, wren)
  await reader.page.goto(`${world.origin}/studio/earnings/overview`)
  await reader.page.getByText('Nothing came in yet.').waitFor()
  await isWell(reader.page)

  const hasUsdc = await buysWithUsdc(world, postId)
  await tips(world, wren, postId, 15n * 10n ** 29n, 'Thank you')
  const creator = await openPage(world)
  const { page } = creator
  await signsIn(creator, world, ada)
  await page.goto(`${world.origin}/studio/earnings/overview`)
  await page.locator('.totals').waitFor()
  ok(await page.locator('.totals').getByText('1.5 XNO').isVisible())
  equal(await page.getByRole('img', { name: 'Received in Nano. Most on' }).count(), 1)
  equal(await page.locator('.chart').count(), hasUsdc ? 2 : 1)
  await page.getByText('The same as a table').click()
  ok(await page.getByRole('columnheader', { name: 'Day' }).isVisible())
  equal(await page.locator('.by-post tbody tr').count(), 1)
  for (const range of ['Year', 'Week']) {
    await page.getByRole('button', { name: range }).click()
    await page.locator(`.tabs [aria-pressed=true]`, { hasText: range }).waitFor()
    await isWell(page)
  }

  await page.goto(`${world.origin}/studio/earnings/transactions`)
  await page.locator('.rows li').first().waitFor()
  const all = await page.locator('.rows li').count()
  // What came in, and what Ada bought herself.
  equal(all, hasUsdc ? 3 : 2)
  await page.getByLabel('Rail').selectOption('XNO')
  await page.getByText('2 payments', { exact: true }).waitFor()
  await isWell(page)
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
  test(`a month of trade is drawn for everybody, on a small window too (${colorScheme})`, async () => {
    if (colorScheme === 'light') await tradeForAMonth(world, town)
    const narrow = await openPage(world, { viewport: { width: 320, height: 640 }, colorScheme })
    await signsIn(narrow, world, town.ada)
    for (const section of ['overview', 'transactions', 'payouts']) {
      await narrow.page.goto(`${world.origin}/studio/earnings/${section}`, { waitUntil: 'networkidle' })
      await isWell(narrow.page, 320)
    }
    deepEqual(narrow.complaints, [])
  })
