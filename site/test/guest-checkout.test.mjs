// Strangers pay with Nano on the development ledger, without an account.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { advanceClock, hasBase, readNanoLink, sendNano } from './payments.mjs'
import { baseAddress, nanoAddress, publish, register, signIn } from './people.mjs'
import { readQr } from './read-qr.mjs'
import { codeFor, openPage, until, useWorld } from './world.mjs'

const price = 25n * 10n ** 28n
const secret = 'The days the boat came.'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const world = useWorld(async (started) => {
  const ada = await register(started, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await ada.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await ada.owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
  return { ada }
})

const publishForSale = (title) =>
  publish(world.fixture.ada, {
    title,
    description: 'A keeper wrote one line a day.',
    category: 'culture',
    freeContentMarkdown: 'The keeper wrote **one line a day**.',
    paidContentMarkdown: secret,
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(price),
  })

/** A stranger on the page of a new post. */
async function openStranger(title, options) {
  const postId = await publishForSale(title)
  const stranger = await openPage(world, options)
  await stranger.page.goto(`${world.origin}/posts/${postId}`)
  return { ...stranger, postId }
}

const payNano = (page) => page.getByRole('button', { name: 'Pay with Nano' })
const checkout = (page) => page.locator('.checkout')
const fullTextShown = (page) => page.locator('[data-whole]', { hasText: secret }).waitFor()
/** Where the page asks to send the money. */
const addressOn = async (page) => {
  await page.locator('.qr').waitFor()
  return page.locator('.copyable code').last().textContent()
}

test('a stranger pays with one click and one scan, reads without a reload, and saves the post to an email', async () => {
  const { page, complaints, postId } = await openStranger('Eleven years of wind')
  ok(await page.locator('.post-head').getByText('$0.31 · 0.25 XNO').isVisible())
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send $0.31 · 0.25 XNO' }).waitFor()
  const link = await readQr(page.locator('.checkout .qr'))
  const { address, amount, label } = readNanoLink(link)
  equal(amount, price)
  ok(label)
  deepEqual(await checkout(page).locator('code').allTextContents(), ['0.25', address])
  deepEqual(await accessibilityViolations(page, 'paying as a stranger'), [])
  equal(await overflowAt(page, 320), undefined)
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await sendNano(world, address, amount)
  await fullTextShown(page)
  equal(loads, 0)
  ok(await page.locator('[data-whole]').evaluate((element) => element === document.activeElement))
  equal(await page.locator('.paywall').count(), 0)
  await page.getByLabel('Your account').waitFor()
  ok(await page.getByRole('link', { name: 'Sign in with the wallet you paid from' }).isVisible())
  deepEqual(await accessibilityViolations(page, 'bought as a stranger'), [])
  equal(await overflowAt(page, 320), undefined)

  // A reload does not ask for money again.
  await page.reload()
  await fullTextShown(page)
  equal(await payNano(page).count(), 0)

  await page.getByRole('button', { name: 'Save it to an email' }).click()
  await page.getByLabel('Email', { exact: true }).fill('stranger@example.com')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByLabel('Code').fill(await codeFor(world, 'stranger@example.com'))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Sign in with stranger@example.com on any device').waitFor()
  await page.goto(`${world.origin}/library`)
  await page.locator('.library').getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  equal(await page.getByText('guest').count(), 0)
  await page.goto(`${world.origin}/posts/${postId}`)
  await fullTextShown(page)
  equal(await page.getByRole('button', { name: 'Save it to an email' }).count(), 0)
  deepEqual(complaints, [])
})

test('a reload, a closed page and a second click come back to the same payment', async () => {
  const { page, context, complaints, postId } = await openStranger('Same')
  await payNano(page).click()
  const address = await addressOn(page)
  await page.reload()
  equal(await addressOn(page), address)

  // Parts add up, and the page says so.
  await sendNano(world, address, price / 5n)
  await page.getByText('Received 0.05 XNO. 0.2 XNO to go').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await payNano(page).click()
  equal(await addressOn(page), address)
  equal(readNanoLink(await readQr(page.locator('.checkout .qr'))).amount, (price * 4n) / 5n)

  // The rest comes, and more, while no page is open.
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.close()
  await sendNano(world, address, price)
  const later = await context.newPage()
  await until(async () => {
    await later.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
    return (await later.locator('[data-whole]').count()) > 0
  })
  await fullTextShown(later)
  deepEqual(complaints, [])
})

test('too much goes back, and the page says so', async () => {
  const { page } = await openStranger('Too much')
  await payNano(page).click()
  await sendNano(world, await addressOn(page), price + price / 5n)
  await fullTextShown(page)
  await page.getByText('Paid. 0.05 XNO was too much and goes back to the sender.').waitFor()
})

test('a payment is noticed without an event stream, and counts down by the clock of the service', async () => {
  const postId = await publishForSale('Polled')
  const { page } = await openPage(world)
  await page.route('**/api/v1/checkout/sessions/*', (route) =>
    route.request().headers().accept === 'text/event-stream' ? route.abort() : route.continue(),
  )
  // The clock of this device is two hours fast.
  await page.addInitScript(() => {
    const now = Date.now
    Date.now = () => now() + 7_200_000
  })
  await page.goto(`${world.origin}/posts/${postId}`)
  await payNano(page).click()
  const address = await addressOn(page)
  match(await page.getByRole('timer').textContent(), /^Price guaranteed for (60:0\d|59:\d\d)\.$/)
  await sendNano(world, address, price)
  await fullTextShown(page)
})

test('when too many strangers pay, the page says so and lets them sign in first', async () => {
  const { page, postId } = await openStranger('Busy')
  const person = await register(world, { name: 'Tomás', handle: 'tomas_o' })
  const detail = 'Too many guest checkouts in Nano are open right now. Try again later, or sign in first.'
  await page.route('**/api/v1/checkout/sessions', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'guest-checkout-busy', status: 503, detail }),
    }),
  )
  await payNano(page).click()
  await page.getByRole('alert').getByText(detail).waitFor()
  deepEqual(await accessibilityViolations(page, 'busy'), [])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/sign-in\?next=/)
  await page.unroute('**/api/v1/checkout/sessions')
  await signIn({ page }, world, person)
  await page.goto(`${world.origin}/posts/${postId}`)
  await sendNano(world, await addressOn(page), price)
  await fullTextShown(page)
  const { body } = await person.owner.listLibrary({ query: { post_id: postId } })
  equal(body.total, 1)
})

test('a stranger tips a post and a comment, and a reload comes back to the tip', async () => {
  const { page, complaints, postId } = await openStranger('Tipped')
  const comment = { content: 'Thank you for reading.' }
  await world.fixture.ada.owner.addComment({ params: { postId }, idempotencyKey: crypto.randomUUID(), body: comment })
  await page.reload()
  await page.getByRole('button', { name: 'Tip author' }).click()
  await page.getByRole('button', { name: '0.5 XNO' }).click()
  await page.getByLabel('Message (public)').fill('For the glass.')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Send 0.5 XNO' }).waitFor()
  const address = await addressOn(page)
  await page.reload()
  equal(await addressOn(page), address)
  await sendNano(world, address, 5n * 10n ** 29n)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Thanks! Your tip has arrived.').waitFor()
  equal(await page.getByRole('timer').count(), 0)
  deepEqual(await accessibilityViolations(page, 'a tip that arrived'), [])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.reload({ waitUntil: 'networkidle' })
  equal(await dialog.count(), 0)

  await page.locator('.comment').getByRole('button', { name: 'Tip' }).click()
  await page.getByLabel('Amount in XNO').fill('0.01')
  await page.getByRole('button', { name: 'Continue' }).click()
  await sendNano(world, await addressOn(page), 10n ** 28n)
  await dialog.getByText('Thanks! Your tip has arrived.').waitFor()
  const activities = await (await fetch(`${world.origin}/api/posts/${postId}/tip-activities`)).json()
  deepEqual(
    activities.map(({ message, amountReceivedRaw }) => [message, amountReceivedRaw]),
    [['For the glass.', String(5n * 10n ** 29n)]],
  )
  deepEqual(complaints, [])
})

test('on a phone the wallet comes before the code', async () => {
  const { page, complaints } = await openStranger('On a phone', phone)
  await payNano(page).tap()
  await page.locator('.qr').waitFor()
  const top = async (locator) => (await locator.boundingBox()).y
  ok((await top(page.getByRole('link', { name: 'Open my wallet' }))) < (await top(page.locator('.qr'))))
  equal(await overflowAt(page, 320), undefined)
  deepEqual(await accessibilityViolations(page, 'paying on a phone'), [])
  deepEqual(complaints, [])
})

test('on a phone USDC opens in the browser of a wallet', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const { page, complaints, postId } = await openStranger('USDC on a phone', phone)
  await page.getByRole('button', { name: 'Pay with USDC' }).tap()
  const hrefOf = (name) => page.getByRole('link', { name }).getAttribute('href')
  const url = `${world.origin}/posts/${postId}`
  equal(await hrefOf('Open in MetaMask'), `https://link.metamask.io/dapp/${url.replace('http://', '')}`)
  equal(await hrefOf('Open in Coinbase Wallet'), `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(url)}`)
  deepEqual(complaints, [])
})

// The tests from here on move the clock, by which the service's prices expire.
test('a stranger whose email has an account already moves the post there', async () => {
  const known = await register(world, { name: 'Wren', handle: 'wren_reads' })
  // A mailbox gets one email a minute.
  await advanceClock(world, 61)
  const { page, postId } = await openStranger('Moved')
  await payNano(page).click()
  await sendNano(world, await addressOn(page), price)
  await fullTextShown(page)
  await page.getByRole('button', { name: 'Save it to an email' }).click()
  await page.getByLabel('Email', { exact: true }).fill(known.email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  // An account has this address, so it gets no code.
  await page.getByText(`We emailed a code to ${known.email}`).waitFor()
  await page.getByRole('button', { name: 'I already have an account' }).click()
  await page.waitForURL(/\/sign-in\?next=/)
  await signIn({ page }, world, known)
  await page.goto(`${world.origin}/posts/${postId}`)
  await page.getByRole('button', { name: 'Open what I bought in this browser' }).click()
  await fullTextShown(page)
  const { body } = await known.owner.listLibrary({ query: { post_id: postId } })
  equal(body.total, 1)
})

// Moving the clock by an hour expires the sessions of the others, so this one is last.
test('a price that expired is renewed with a click, and late money for the old one still buys', async () => {
  const { page, postId } = await openStranger('Late')
  await payNano(page).click()
  const old = await addressOn(page)
  await advanceClock(world, 3601)
  await page.getByText('This price has expired.').waitFor({ timeout: 60_000 })
  equal(await page.locator('.checkout .qr').count(), 0)
  await page.getByRole('button', { name: 'Get a new price' }).click()
  ok((await addressOn(page)) !== old)
  await sendNano(world, old, price)
  // The service checks old addresses less and less often, so move the clock on.
  await until(async () => {
    await advanceClock(world, 300)
    await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'domcontentloaded' })
    await page.locator('[data-paywall][data-known]').waitFor()
    return (await page.locator('[data-whole]').count()) > 0
  })
  await fullTextShown(page)
})
