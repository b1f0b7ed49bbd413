// Signing in with wallets, and linking them.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { publicKeyOf, signBytes } from '@pennypost/nano/keys'
import { signMessage } from '@pennypost/nano/message'
import { faultsOf, widerThan } from './faults.mjs'
import { givesWallet, sendNano } from './money.mjs'
import { readQr } from './read-qr.mjs'
import { registers, signsIn } from './town.mjs'
import { openPage, startWorld } from './world.mjs'

let world
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const signedIn = (page) => page.getByLabel('Your account').waitFor()

function nanoAccount() {
  const secretKey = randomBytes(32)
  return { secretKey, address: nanoAddress(publicKeyOf(secretKey)) }
}

test('somebody signs in with a wallet in the browser, and is the same the next time', async () => {
  const { page, complaints } = await openPage(world)
  const wallet = await givesWallet(page)
  const enter = async () => {
    await page.goto(`${world.origin}/sign-in?next=/settings/wallets`)
    await page.getByRole('button', { name: 'Browser wallet' }).click()
    await page.waitForURL(`${world.origin}/settings/wallets`)
    await signedIn(page)
    await page.getByText(wallet.address).waitFor()
  }
  await enter()
  deepEqual(await faultsOf(page, 'wallets'), [])
  equal(await widerThan(page, 320), undefined)
  await page.getByLabel('Your account').click()
  const handle = await page.locator('.menu .quiet').first().textContent()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  await enter()
  await page.getByLabel('Your account').click()
  equal(await page.locator('.menu .quiet').first().textContent(), handle)
  deepEqual(complaints, [])
})

test('somebody signs in with a Nano signature, by hand and by the link that a wallet answers', async () => {
  const { page, complaints } = await openPage(world)
  const { secretKey, address } = nanoAccount()
  const begin = async () => {
    await page.goto(`${world.origin}/sign-in`)
    await page.getByRole('button', { name: 'Nano wallet that signs' }).click()
    await page.getByLabel('Your Nano address').fill(address)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('link', { name: 'Open my wallet' }).waitFor()
  }
  await begin()
  deepEqual(await faultsOf(page, 'nanoauth'), [])
  equal(await widerThan(page, 320), undefined)
  await page.getByText('Sign by hand').click()
  const message = await page.locator('.copyable code').textContent()
  await page.getByLabel('Signature').fill(signMessage(message, 'noms', secretKey))
  await page.getByRole('button', { name: 'Use this signature' }).click()
  await signedIn(page)
  await page.getByLabel('Your account').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()

  await begin()
  const uri = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  equal(await readQr(page.locator('.way .qr')), uri)
  const request = JSON.parse(Buffer.from(uri.slice('nanoauth:'.length), 'base64url').toString())
  const formatted = [Math.floor(Date.now() / 1000), request.label, address].join(':')
  const signature = Buffer.from(signBytes(Buffer.from(formatted), secretKey)).toString('hex')
  const reply = await fetch(request.methods[0].url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account: address, signature, formatted }),
  })
  ok(reply.ok, await reply.text())
  await signedIn(page)
  deepEqual(complaints, [])
})

test('somebody who can only pay signs in by a payment, which goes back', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/sign-in`)
  await page.getByRole('button', { name: 'Nano payment' }).click()
  const link = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  equal(await readQr(page.locator('.way .qr')), link)
  deepEqual(await faultsOf(page, 'a transfer'), [])
  const [, address, amount] = /^nano:(nano_\w+)\?amount=(\d+)$/.exec(link)
  await sendNano(world, address, amount)
  await signedIn(page)
  deepEqual(complaints, [])
})

test('a wallet is linked to an account, signs in to it, and is unlinked', async () => {
  const { page, complaints } = await openPage(world)
  const wallet = await givesWallet(page)
  const person = await registers(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await signsIn({ page }, world, person)
  await page.goto(`${world.origin}/settings/wallets`)
  await page.getByText('No wallet is linked yet.').waitFor()
  await page.getByRole('button', { name: 'Browser wallet' }).click()
  await page.getByText('The wallet is linked.').waitFor()
  await page.getByText(wallet.address).waitFor()
  await page.getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('No wallet is linked yet.').waitFor()
  deepEqual(complaints, [])
})
