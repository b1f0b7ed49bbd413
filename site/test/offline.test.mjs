// The site as an installed app, without a connection.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { register, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld(async (opened) => ({
  ada: await register(opened, { name: 'Ada Marlow', handle: 'ada_marlow' }),
}))

/** A browser in a test is never an installed app. */
function beInstalled() {
  const original = globalThis.matchMedia.bind(globalThis)
  globalThis.matchMedia = (query) => (query === '(display-mode: standalone)' ? original('all') : original(query))
}

test('an installed app shows our page when there is no connection, and stores nothing else', async () => {
  const app = await openPage(world)
  const { page, context, complaints } = app
  await signIn(app, world, world.fixture.ada)
  equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0, 'not in a tab')
  await page.addInitScript(beInstalled)
  await page.goto(world.origin)
  await until(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/'))?.active != null))
  await page.goto(`${world.origin}/library`)
  await until(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
  await page.getByText('Nothing yet').waitFor()

  await context.setOffline(true)
  await page.goto(`${world.origin}/notifications`)
  await page.getByRole('heading', { name: "You're offline" }).waitFor()
  equal(page.url(), `${world.origin}/notifications`)
  const color = await page.locator('.button').evaluate((element) => getComputedStyle(element).backgroundColor)
  ok(color !== 'rgba(0, 0, 0, 0)', 'with its styles')
  deepEqual(await accessibilityViolations(page, 'offline'), [])
  equal(await overflowAt(page, 320), undefined)
  const stored = await page.evaluate(async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
    const requests = await Promise.all(caches_.map((cache) => cache.keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
  ok(stored.includes('/offline'))
  deepEqual(
    stored.filter((path) => !/^\/offline$|^\/assets\/[a-z-]+-[A-Z0-9]{8}\.css$|^\/accents\//.test(path)),
    [],
  )

  await context.setOffline(false)
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Notifications' }).waitFor()
  deepEqual(
    complaints.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED')),
    [],
  )
})
