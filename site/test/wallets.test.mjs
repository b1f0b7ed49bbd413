// Signing in with wallets and linking them.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { publicKeyOf, signBytes } from '@pennypost/nano/keys'
import { signMessage } from '@pennypost/nano/message'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { installWallet } from './browser-wallet.mjs'
import { payNanoLink } from './payments.mjs'
import { register, signIn } from './people.mjs'
import { readQr } from './read-qr.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld()

const signedIn = (page) => page.getByLabel('Your account').waitFor()

function nanoAccount() {
  const secretKey = randomBytes(32)
  return { secretKey, address: nanoAddress(publicKeyOf(secretKey)) }
}

test('a browser wallet signs in to the same account each time', async () => {
  const { page, complaints } = await openPage(world)
  const wallet = await installWallet(page)
  const signInWithWallet = async () => {
    await page.goto(`${world.origin}/sign-in?next=/settings/wallets`)
    await page.getByRole('button', { name: 'Browser wallet' }).click()
    await page.waitForURL(`${world.origin}/settings/wallets`)
    await signedIn(page)
    await page.getByText(wallet.address).waitFor()
  }
  await signInWithWallet()
  deepEqual(await accessibilityViolations(page, 'wallets'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByLabel('Your account').click()
  const handle = await page.locator('.menu .quiet').first().textContent()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  await signInWithWallet()
  await page.getByLabel('Your account').click()
  equal(await page.locator('.menu .quiet').first().textContent(), handle)
  deepEqual(complaints, [])
})

test('a Nano signature signs in, by copy and paste and by a nanoauth link', async () => {
  const { page, complaints } = await openPage(world)
  const { secretKey, address } = nanoAccount()
  const start = async () => {
    await page.goto(`${world.origin}/sign-in`)
    await page.getByRole('button', { name: 'Nano wallet that signs' }).click()
    await page.getByLabel('Your Nano address').fill(address)
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.getByRole('link', { name: 'Open my wallet' }).waitFor()
  }
  await start()
  deepEqual(await accessibilityViolations(page, 'nanoauth'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByText('Sign by hand').click()
  const message = await page.locator('.copyable code').textContent()
  await page.getByLabel('Signature').fill(signMessage(message, 'noms', secretKey))
  await page.getByRole('button', { name: 'Use this signature' }).click()
  await signedIn(page)
  await page.getByLabel('Your account').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()

  await start()
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

test('a Nano payment signs in and is sent back', async () => {
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/sign-in`)
  await page.getByRole('button', { name: 'Nano payment' }).click()
  const link = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  equal(await readQr(page.locator('.way .qr')), link)
  deepEqual(await accessibilityViolations(page, 'a transfer'), [])
  await payNanoLink(world, link)
  await signedIn(page)
  deepEqual(complaints, [])
})

test('a wallet is linked to an account and unlinked', async () => {
  const { page, complaints } = await openPage(world)
  const wallet = await installWallet(page)
  const person = await register(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await signIn({ page }, world, person)
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
