// The private feed, and push messages to a browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createFixture } from './fixture.mjs'
import { advanceClock, buyWithNano } from './payments.mjs'
import { signIn } from './people.mjs'
import { codeFor, openPage, until, useWorld } from './world.mjs'

const world = useWorld(createFixture)

test('the private feed has the full text of purchases until its URL is revoked', async () => {
  await buyWithNano(world, world.fixture.tomas, world.fixture.postId)
  const reader = await openPage(world)
  const { page } = reader
  await signIn(reader, world, world.fixture.tomas)
  await page.goto(`${world.origin}/settings/feed`)
  await page.getByRole('button', { name: 'Create a URL' }).click()
  const address = await page.locator('.secret').first().textContent()
  match(address, /\/feed\/[\w-]{43}\/feed\.xml$/)
  ok((await (await fetch(address)).text()).includes('The days the boat came.'))
  await page.reload()
  await page.getByText("It can't be shown again.").waitFor()
  equal(await page.locator('.secret').count(), 0)
  await page.getByRole('button', { name: 'Revoke URL' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('You have no feed URL yet.').waitFor()
  equal((await fetch(address)).status, 404)
  deepEqual(reader.complaints, [])
})

test('sessions are listed with their device; all others end together; keys say when they were last used', async () => {
  const reader = await openPage(world)
  const { page } = reader
  const { owner } = world.fixture.ada
  await signIn(reader, world, world.fixture.ada)
  await page.goto(`${world.origin}/settings/sessions`)
  await page.getByText(/Signed in by email .*, last used just now/).waitFor()
  equal(await page.getByRole('button', { name: 'End all other sessions' }).count(), 0)
  const other = await signInByEmail(world, world.fixture.ada.email, 'curl/8.14.1')
  await page.reload()
  await page.getByText('curl').waitFor()
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('curl').waitFor({ state: 'detached' })
  await page.getByText('this browser').waitFor()
  equal((await fetch(`${world.origin}/api/v1/me`, { headers: { authorization: `Bearer ${other}` } })).status, 401)
  const { body: issued } = await owner.issueKey({ body: { label: 'My robot' } })
  await page.goto(`${world.origin}/settings/keys`)
  await page.getByRole('listitem').filter({ hasText: 'My robot' }).getByText('never used').waitFor()
  await fetch(`${world.origin}/api/v1/me`, { headers: { authorization: `Bearer ${issued.key}` } })
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'My robot' }).getByText('last used just now').waitFor()
  await owner.revokeKey({ params: { keyId: issued.apiKey.id } })
  deepEqual(reader.complaints, [])
})

test('a webhook is created, tried, looked at in its log, disabled and deleted', async (t) => {
  const types = []
  const receiver = createServer(async (request, response) => {
    const chunks = await request.toArray()
    types.push(JSON.parse(Buffer.concat(chunks)).type)
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => receiver.close())
  await once(receiver, 'listening')
  const author = await openPage(world)
  const { page } = author
  await signIn(author, world, world.fixture.ada)
  await page.goto(`${world.origin}/settings/webhooks`)
  await page.getByText('You have no webhooks.').waitFor()
  await page.getByLabel('URL').fill(`http://127.0.0.1:${receiver.address().port}/`)
  await page.getByLabel('What it is for').fill('My bookkeeping')
  for (const event of ['Sales', 'Tips', 'Comments on your posts']) await page.getByLabel(event).uncheck()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Sales').check()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  match(await page.locator('.secret').textContent(), /^whsec_/)
  const row = page.getByRole('listitem').filter({ hasText: 'My bookkeeping' })
  await row.getByText(/^Sales\s*Created/).waitFor()
  await row.getByRole('button', { name: 'Send a test' }).click()
  await until(async () => types.includes('webhook.test'))
  await row.getByRole('button', { name: 'Log' }).click()
  const log = page.getByRole('dialog')
  await until(async () => {
    await log.getByRole('button', { name: 'Refresh' }).click()
    return (await log.getByText('delivered').count()) === 1
  })
  await log.getByRole('button', { name: 'Send again' }).click()
  await until(async () => types.length === 2)
  await log.getByRole('button', { name: 'Close' }).click()
  await row.getByRole('button', { name: 'Disable' }).click()
  await row.getByText('You disabled it.').waitFor()
  equal(await row.getByRole('button', { name: 'Send a test' }).count(), 0)
  await page.reload()
  equal(await page.locator('.secret').count(), 0)
  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('You have no webhooks.').waitFor()
  deepEqual(
    author.complaints.filter((complaint) => !complaint.includes('422')),
    [],
  )
})

/** Signs in with a code, as a client that says this about itself. Returns the access token. */
async function signInByEmail({ origin }, email, userAgent) {
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent }
  await advanceClock(world, 61)
  const post = (path, body) => fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await post('/api/v1/auth/login', { email })
  const code = await codeFor(world, email, /sign.in/i)
  return (await (await post('/api/v1/auth/verify', { email, code })).json()).accessToken
}

/** A subscription as a vendor's push service would issue it. */
function vendorSubscription() {
  const device = createECDH('prime256v1')
  device.generateKeys()
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(16).toString('hex')}`,
    expirationTime: null,
    keys: { p256dh: device.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}

/** Replaces the vendor's push service. The service worker and the permission are the browser's own. */
const fakePushService = (given) => {
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
    if (applicationServerKey.length !== 87 || !userVisibleOnly)
      throw new Error('browsers require an application server key and userVisibleOnly')
    localStorage.setItem('vendor', '1')
    return subscription
  }
  PushManager.prototype.getSubscription = async () => (isOn() ? subscription : null)
}

test('a browser gets push messages once the user turns them on, shows them, and gets none once they are off', async () => {
  const reader = await openPage(world)
  const { page, context } = reader
  await signIn(reader, world, world.fixture.tomas)
  await page.addInitScript(fakePushService, vendorSubscription())
  await page.goto(`${world.origin}/settings/notifications`)
  await page.getByText('Push notifications are off').waitFor()
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
    page.getByRole('button', { name: 'Turn on' }).click(),
  ])
  equal(sent.status(), 201)
  await page.getByText('This browser shows mentions').waitFor()
  await page.locator('[name=push_notifications]:checked').waitFor()

  // Deliver a message to the browser as a push service would.
  const notification = {
    id: 'n1',
    title: 'Ada answered you',
    body: 'The outer one.',
    url: `/posts/${world.fixture.postId}#comments`,
  }
  const data = JSON.stringify(notification)
  const message = { origin: world.origin, registrationId: await registered, data }
  const shown = await until(async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
    // Repeat it in case it was lost, as push services do; messages with the same tag are shown once.
    await devtools.send('ServiceWorker.deliverPushMessage', message)
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      const [found] = await registration.getNotifications()
      return found && { title: found.title, body: found.body, tag: found.tag, url: found.data.url }
    })
  })
  deepEqual(shown, {
    title: notification.title,
    body: notification.body,
    tag: notification.id,
    url: notification.url,
  })

  const [removed] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/push/subscriptions')),
    page.getByRole('button', { name: 'Turn off' }).click(),
  ])
  equal(removed.status(), 200)
  await page.getByText('Push notifications are off').waitFor()
  deepEqual(reader.complaints, [])
})
