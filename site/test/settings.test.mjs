// A secret address for feed readers, and messages to a browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { buys } from './market.mjs'
import { buildTown, signsIn } from './town.mjs'
import { openPage, startWorld, until } from './world.mjs'

let world
let town
before(async () => {
  world = await startWorld()
  town = await buildTown(world)
})
after(() => world.close())

test('what somebody bought comes to their feed reader, whole, until they revoke its address', async () => {
  await buys(world, town.tomas, town.postId)
  const reader = await openPage(world)
  const { page } = reader
  await signsIn(reader, world, town.tomas)
  await page.goto(`${world.origin}/settings/feed`)
  await page.getByRole('button', { name: 'Make an address' }).click()
  const address = await page.locator('.secret').first().textContent()
  match(address, /\/feed\/[\w-]{43}\/feed\.xml$/)
  ok((await (await fetch(address)).text()).includes('The days the boat came.'))
  await page.reload()
  await page.getByText('It is not shown again.').waitFor()
  equal(await page.locator('.secret').count(), 0)
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('You have no address yet.').waitFor()
  equal((await fetch(address)).status, 404)
  deepEqual(reader.complaints, [])
})

/** A subscription as a vendor's push service would hand it out: the one thing that cannot be had without a vendor. */
function vendorSubscription() {
  const device = createECDH('prime256v1')
  device.generateKeys()
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(16).toString('hex')}`,
    expirationTime: null,
    keys: { p256dh: device.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}

/** Stands in for the vendor: everything else, the worker and its leave among it, is the browser's own. */
const pretendVendor = (given) => {
  const isOn = () => localStorage.getItem('vendor') !== null
  const subscription = {
    ...given,
    toJSON: () => given,
    unsubscribe: async () => {
      localStorage.removeItem('vendor')
      return true
    },
  }
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (applicationServerKey.length !== 87 || !userVisibleOnly) throw new Error('not asked for as browsers want it')
    localStorage.setItem('vendor', '1')
    return subscription
  }
  PushManager.prototype.getSubscription = async () => (isOn() ? subscription : null)
}

test('a browser is told only after somebody asked for it, shows what it is told, and stops when told to', async () => {
  const reader = await openPage(world)
  const { page, context } = reader
  await signsIn(reader, world, town.tomas)
  await page.addInitScript(pretendVendor, vendorSubscription())
  await page.goto(`${world.origin}/settings/notifications`)
  await page.getByText('This browser is not told anything').waitFor()
  equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0)
  equal(await page.evaluate(() => Notification.permission), 'default')

  await context.grantPermissions(['notifications'], { origin: world.origin })
  const devtools = await context.newCDPSession(page)
  const registered = new Promise((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    }),
  )
  await devtools.send('ServiceWorker.enable')
  const [sent] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/push/subscriptions')),
    page.getByRole('button', { name: 'Tell this browser' }).click(),
  ])
  equal(sent.status(), 201)
  await page.getByText('This browser is told of mentions').waitFor()
  await page.locator('[name=push_notifications]:checked').waitFor()

  // What a push service would hand to the browser, handed to it.
  const news = { id: 'n1', title: 'Ada answered you', body: 'The outer one.', url: `/posts/${town.postId}#comments` }
  const data = JSON.stringify(news)
  const message = { origin: world.origin, registrationId: await registered, data }
  const shown = await until(async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
    // Again where it was lost, as push services do; one tag is shown once.
    await devtools.send('ServiceWorker.deliverPushMessage', message)
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      const [found] = await registration.getNotifications()
      return found && { title: found.title, body: found.body, tag: found.tag, url: found.data.url }
    })
  })
  deepEqual(shown, { title: news.title, body: news.body, tag: news.id, url: news.url })

  const [removed] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/push/subscriptions')),
    page.getByRole('button', { name: 'Stop it here' }).click(),
  ])
  equal(removed.status(), 200)
  await page.getByText('This browser is not told anything').waitFor()
  deepEqual(reader.complaints, [])
})
