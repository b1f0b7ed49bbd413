import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isPublicAddress } from '../outgoing/public-address.ts'
import { secretsFrom } from '../secrets.ts'
import { createPushSender, isPushKey } from './push.ts'
import { browser, pushService } from './push-service.fixture.ts'
import { vapidKeys } from './vapid-keys.ts'

const keys = vapidKeys(secretsFrom('a secret for tests'))
const contact = 'mailto:post@pennypost.example'
const topic = 'a'.repeat(32)

async function connected(t: TestContext) {
  const device = browser()
  const service = await pushService(t, device)
  const push = createPushSender({ keys, contact, allowLoopback: true, certificate: service.certificate })
  return { device, service, push }
}

test('the push service accepts the sender, and the browser can read the message', async (t) => {
  const { device, service, push } = await connected(t)
  const message = JSON.stringify({ title: 'Ada mentioned you 🎉' })
  equal(await push.send(device.subscriptionAt(`${service.origin}/devices/1?x=2`), message, { topic }), 'sent')
  // By name too: the certificate is checked for the name, and the connection goes to the checked address.
  equal(await push.send(device.subscriptionAt(`https://localhost:${service.port}/named`), message, { topic }), 'sent')
  const [first, second] = service.received
  deepEqual(
    [first!.path, first!.message, first!.subject, first!.senderKey],
    ['/devices/1?x=2', message, contact, push.publicKey],
  )
  deepEqual(
    [first!.headers['content-encoding'], first!.headers.ttl, first!.headers.topic, first!.headers.urgency],
    ['aes128gcm', '86400', topic, 'normal'],
  )
  deepEqual([second!.path, second!.headers.host], ['/named', `localhost:${service.port}`])
})

test('statuses mean gone, refused or retry; redirects are not followed', async (t) => {
  const { device, service, push } = await connected(t)
  const target = device.subscriptionAt(`${service.origin}/device`)
  for (const [status, outcome] of [
    [404, 'gone'],
    [410, 'gone'],
    [401, 'gone'],
    [403, 'gone'],
    [400, 'refused'],
    [413, 'refused'],
  ] as const) {
    service.nextStatuses.push(status)
    equal(await push.send(target, '{}', { topic }), outcome)
  }
  for (const status of [429, 500, 503, 302]) {
    service.nextStatuses.push(status)
    await rejects(push.send(target, '{}', { topic }), new RegExp(String(status)))
  }
  equal(service.attempts.length, 10)
})

test('a push service that does not reply runs into the timeout', async (t) => {
  const { device, service } = await connected(t)
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const push = createPushSender({
    keys,
    contact,
    allowLoopback: true,
    certificate: service.certificate,
    timeoutMs: 50,
  })
  const { port } = silent.address() as AddressInfo
  await rejects(push.send(device.subscriptionAt(`https://127.0.0.1:${port}/`), '{}', { topic }), /abort/)
})

test('an untrusted certificate is refused', async (t) => {
  const { device, service } = await connected(t)
  const push = createPushSender({ keys, contact, allowLoopback: true })
  await rejects(push.send(device.subscriptionAt(`${service.origin}/device`), '{}', { topic }))
  equal(service.received.length, 0)
})

test('private addresses are never called, however they are written', async (t) => {
  const { device, service } = await connected(t)
  const push = createPushSender({ keys, contact, allowLoopback: false, certificate: service.certificate })
  for (const host of [
    '127.0.0.1',
    'localhost',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ]) {
    for (const endpoint of [`https://${host}:${service.port}/device`, `https://${host}/device`]) {
      equal(await push.accepts(endpoint), false, endpoint)
      equal(await push.send(device.subscriptionAt(endpoint), '{}', { topic }), 'gone', endpoint)
    }
  }
  equal(service.attempts.length, 0)
  // Other private addresses are refused even if loopback is allowed.
  const development = createPushSender({ keys, contact, allowLoopback: true })
  equal(await development.accepts('https://10.0.0.7/'), false)
  equal(await development.accepts('https://8.8.8.8/'), true)
  equal(await development.accepts('https://nobody.invalid/'), true)
})

test('a push service listens on the port of HTTPS', async () => {
  const push = createPushSender({ keys, contact, allowLoopback: false })
  for (const port of ['', ':443']) equal(await push.accepts(`https://8.8.8.8${port}/`), true, port)
  for (const port of [':80', ':22', ':25', ':8443', ':6379']) {
    equal(await push.accepts(`https://8.8.8.8${port}/`), false, port)
    equal(await push.send(browser().subscriptionAt(`https://8.8.8.8${port}/`), '{}', { topic }), 'gone', port)
  }
})

test('special address ranges are not public', () => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.53',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::a00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    'fec0::1',
    '2002:a00:1::',
    '2001:0:a00:1::',
    'example.com',
  ])
    equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '142.250.74.42', '2a00:1450:4001:80e::200a', '::ffff:8.8.8.8'])
    equal(isPublicAddress(address), true, address)
})

test('the key pair is the same after every start, and differs between services', () => {
  deepEqual(vapidKeys(secretsFrom('a secret for tests')), keys)
  ok(vapidKeys(secretsFrom('another')).publicKey !== keys.publicKey)
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(keys.privateKey, 'base64url')
  equal(curve.getPublicKey('base64url'), keys.publicKey)
  match(keys.publicKey, /^B[\w-]{86}$/)
  equal(keys.privateKey.length, 43)
  ok(isPushKey(keys.publicKey))
  ok(!isPushKey(randomBytes(65).toString('base64url')))
})
