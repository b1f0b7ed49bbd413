// What must be true of every page, whatever is on it.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultsOf } from './faults.mjs'
import { buildTown, signsIn } from './town.mjs'
import { openPage, startWorld } from './world.mjs'

let world
let town
before(async () => {
  world = await startWorld()
  town = await buildTown(world)
})
after(() => world.close())

const publicPages = () => [
  '/',
  '/?q=wind&access=paid&sort=newest',
  '/?q=nothingofthekind',
  `/posts/${town.postId}`,
  '/@ada_marlow',
  '/@tomas_o/tags/slow-things',
  '/leaderboards',
  '/leaderboards?board=supporters',
  '/sign-in',
  '/join',
  '/docs',
]
const personalPages = () => [
  `/posts/${town.postId}`,
  '/@ada_marlow',
  '/studio',
  `/studio/posts/${town.draftId}`,
  '/notifications',
  '/library',
  `/library/${town.boughtId}`,
  ...['overview', 'transactions', 'payouts'].map((section) => `/studio/earnings/${section}`),
  ...['profile', 'receiving', 'email', 'wallets', 'notifications', 'feed', 'sessions', 'keys'].map(
    (section) => `/settings/${section}`,
  ),
  ...['reports', 'accounts', 'holds', 'obligations', 'jobs', 'audit'].map((section) => `/admin/${section}`),
]

/** Visits every page, as a stranger and as somebody who is signed in. */
async function everywhere(options, look) {
  const [stranger, owner] = [await openPage(world, options), await openPage(world, options)]
  await signsIn(owner, world, town.ada)
  for (const [visitor, paths] of [
    [stranger, publicPages()],
    [owner, personalPages()],
  ])
    for (const path of paths) {
      await visitor.page.goto(world.origin + path, { waitUntil: 'networkidle' })
      await look(visitor.page, path)
    }
  deepEqual([...stranger.complaints, ...owner.complaints], [])
  for (const { context } of [stranger, owner]) await context.close()
}

for (const colorScheme of ['light', 'dark'])
  test(`no page has a serious fault for who cannot see, point or hear well (${colorScheme})`, async () => {
    const faults = []
    await everywhere({ colorScheme, reducedMotion: 'reduce' }, async (page, path) => {
      faults.push(...(await faultsOf(page, path)))
    })
    deepEqual(faults, [])
  })

test('every page fits a window of 320 pixels', async () => {
  const wide = []
  await everywhere({ viewport: { width: 320, height: 640 } }, async (page, path) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    if (width > 320) wide.push(`${path}: ${width}`)
  })
  deepEqual(wide, [])
})

test('a Post needs less than 15 KB of script and nothing inlined', async () => {
  const { page, complaints } = await openPage(world)
  const sizes = []
  page.on('response', async (response) => {
    if (response.request().resourceType() === 'script') sizes.push(response.request().sizes())
  })
  const reply = await page.goto(`${world.origin}/posts/${town.postId}`, { waitUntil: 'networkidle' })
  const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
  ok(bytes > 1000 && bytes < 15_000, String(bytes))
  const script = await page.evaluate(() => document.querySelector('script[type=module]').src)
  const { headers } = await fetch(script, { headers: { 'accept-encoding': 'br' } })
  equal(headers.get('content-encoding'), 'br')
  equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  ok(!reply.headers()['content-security-policy'].includes('unsafe'))
  equal(await page.locator('style, [style], script:not([src]):not([type="application/ld+json"])').count(), 0)
  deepEqual(complaints, [])
})

test('the keyboard walks, searches and explains; the colours go round and stay', async () => {
  const { page } = await openPage(world)
  await page.goto(world.origin)
  await page.locator('[data-tools] button').first().waitFor()
  await page.keyboard.press('?')
  ok(await page.getByRole('dialog', { name: 'Keyboard' }).isVisible())
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  equal(await page.locator('.current h2').textContent(), await page.locator('[data-item] h2').first().textContent())
  await page.keyboard.press('/')
  ok(await page.getByLabel('Search Posts').evaluate((element) => element === document.activeElement))
  const theme = page.getByRole('button', { name: 'Colours' })
  await theme.click()
  await theme.click()
  await page.reload()
  equal(await page.locator('html').getAttribute('data-theme'), 'dark')
})
