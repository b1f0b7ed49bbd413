// Buying through the pages: with Nano on the development ledger, and with USDC from a wallet in the browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { installWallet } from './browser-wallet.mjs'
import { advanceClock, buyWithNano, hasBase, mintUsdc, payNanoLink, readNanoLink, sendNano } from './payments.mjs'
import { baseAddress, nanoAddress, publish, register, signIn } from './people.mjs'
import { readQr } from './read-qr.mjs'
import { codeFor, openPage, until, useWorld } from './world.mjs'

const price = 25n * 10n ** 28n
const secret = 'The days the boat came.'

const world = useWorld(async (started) => {
  const ada = await register(started, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await ada.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await ada.owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
  return { ada }
})
let readers = 0

const publishForSale = (title = 'Eleven years of wind') =>
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

/** A new reader, signed in in their own browser. */
async function openReader() {
  readers += 1
  const person = await register(world, { name: `Reader ${readers}`, handle: `reader_${readers}` })
  const visitor = await openPage(world)
  await signIn(visitor, world, person)
  return { ...visitor, person }
}

const checkout = (page) => page.locator('.checkout')
const fullTextShown = (page) => page.locator('[data-whole]', { hasText: secret }).waitFor()
const payNano = (page) => page.getByRole('button', { name: 'Pay with Nano' })
const payUsdc = (page) => page.getByRole('button', { name: 'Pay with USDC' })
/** Without those that the browser itself logs for refused requests. */
const without = (complaints, ...parts) => complaints.filter((each) => !parts.some((part) => each.includes(part)))

test('a reader buys a post with Nano in two payments that are too much, and reads it without a reload', async () => {
  const postId = await publishForSale()
  const { page, complaints } = await openReader()
  await page.goto(world.origin)
  await page.getByLabel('Search posts').first().fill('wind')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Eleven years of wind' }).click()
  await page.waitForURL(/\/@\w+\/eleven-years-of-wind/)
  equal(await page.getAttribute('main', 'data-post'), postId)
  ok(!(await page.content()).includes(secret))

  // Cancels once.
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send $0.31 · 0.25 XNO' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send $0.31 · 0.25 XNO' }).waitFor()

  const link = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  const { address, amount } = readNanoLink(link)
  equal(amount, price)
  equal(await readQr(page.locator('.checkout .qr')), link)
  deepEqual(await checkout(page).locator('code').allTextContents(), ['0.25', address])
  match(await page.getByRole('timer').textContent(), /^Price guaranteed for (60:00|59:\d\d)\.$/)
  deepEqual(await accessibilityViolations(page, 'the code to scan'), [])
  equal(await overflowAt(page, 320), undefined)

  // Pays a part of it.
  await sendNano(world, address, price / 5n)
  await page.getByText('Received 0.05 XNO. 0.2 XNO to go').waitFor()
  await page.getByRole('heading', { name: '0.2 XNO to go' }).waitFor()

  // After a reload the page still knows.
  await page.reload()
  await page.getByText('Received 0.05 XNO. 0.2 XNO to go').waitFor()
  equal(await readQr(page.locator('.checkout .qr')), link.replace(String(price), String((price * 4n) / 5n)))

  // Pays the rest, and more.
  await sendNano(world, address, price)
  await fullTextShown(page)
  equal(await page.locator('.paywall').count(), 0)
  await page.getByText('Paid. 0.05 XNO was too much and goes back to the sender.').waitFor()
  ok(await page.locator('[data-whole]').evaluate((element) => element === document.activeElement))
  deepEqual(await accessibilityViolations(page, 'a Post that was bought'), [])

  // After a reload it is still readable, and has a receipt.
  await page.reload()
  await fullTextShown(page)
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.locator('.receipt').getByText('0.25 XNO').waitFor()
  ok(await page.locator('.receipt').getByText('Reader 1').isVisible())
  deepEqual(await accessibilityViolations(page, 'a receipt'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('link', { name: 'Library' }).last().click()
  await page.locator('.library').getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  await page.getByLabel('Search your library').fill('nothing of the kind')
  await page.getByText('0 Posts found').waitFor()
  await page.getByLabel('Search your library').fill('marlow')
  await page.locator('.library').getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  deepEqual(complaints, [])
})

test('a guest buys with USDC and gets back to the post by the browser, by the wallet and with an account', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await publishForSale('For a guest')
  const { page, complaints } = await openPage(world)
  const wallet = await installWallet(page)
  await page.goto(`${world.origin}/posts/${postId}`)

  // The wallet has too little: nothing is charged.
  await payUsdc(page).click()
  await page.getByText('This wallet does not have enough USDC on Base.').waitFor()
  deepEqual(wallet.calls, ['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_signTypedData_v4'])
  await mintUsdc(world, wallet.address, '1000000')

  wallet.state.declines = 'eth_signTypedData_v4'
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('You declined in the wallet.').waitFor()
  deepEqual(await accessibilityViolations(page, 'declined'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Try again' }).click()
  await fullTextShown(page)
  await page.reload()
  await fullTextShown(page)

  await page.goto(`${world.origin}/library`)
  await page.getByText('You are here as a guest').waitFor()
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.locator('.receipt').getByText('0.3125 USDC').waitFor()
  ok(await page.locator('.receipt').getByText(wallet.address).isVisible())

  // Signed out, the browser still knows the purchase.
  const signOut = async () => {
    await page.getByLabel('Your account').click()
    await Promise.all([page.waitForURL(`${world.origin}/`), page.getByRole('button', { name: 'Sign out' }).click()])
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(`${world.origin}/posts/${postId}`)
    await page.getByRole('heading', { name: 'Already bought this?' }).waitFor()
  }
  await signOut()
  deepEqual(await accessibilityViolations(page, 'bought already'), [])
  await page.getByRole('button', { name: 'Open what I bought in this browser' }).click()
  await fullTextShown(page)

  // The wallet opens it too.
  await signOut()
  await page.getByRole('button', { name: 'Verify with the wallet you paid from' }).click()
  await fullTextShown(page)
  equal(wallet.calls.at(-1), 'personal_sign')

  // The purchase moves into an account.
  await signIn({ page }, world, await register(world, { name: 'Wren', handle: 'wren_reads' }))
  await page.goto(`${world.origin}/library`)
  await page.getByRole('button', { name: 'Move into my account' }).click()
  await page.locator('.library').getByRole('link', { name: 'For a guest' }).waitFor()
  await page.goto(`${world.origin}/posts/${postId}`)
  await fullTextShown(page)
  deepEqual(without(complaints, '402'), [])
})

test('a guest who adds an email becomes an ordinary account', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await publishForSale('Kept')
  const { page, complaints } = await openPage(world)
  const wallet = await installWallet(page)
  await mintUsdc(world, wallet.address, '1000000')
  await page.goto(`${world.origin}/posts/${postId}`)
  await payUsdc(page).click()
  await fullTextShown(page)
  await page.goto(`${world.origin}/sign-in`)
  await page.getByText('You bought something in this browser without an account').waitFor()
  deepEqual(await accessibilityViolations(page, 'a guest who signs in'), [])
  await page.getByRole('link', { name: 'Save it to an email' }).click()
  await page.getByLabel('New address').fill('kept@example.com')
  await page.getByRole('button', { name: 'Send a code' }).click()
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(world, 'kept@example.com'))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your email is confirmed.').waitFor()
  await page.goto(`${world.origin}/library`)
  await page.locator('.library').getByRole('link', { name: 'Kept' }).waitFor()
  equal(await page.getByText('guest').count(), 0)
  deepEqual(complaints, [])
})

test('while a USDC payment is uncertain the reader is not asked to sign again', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await publishForSale('Under way')
  const { page, complaints } = await openReader()
  const wallet = await installWallet(page)
  await mintUsdc(world, wallet.address, '1000000')
  let isUncertain = true
  await page.route('**/settle', (route) =>
    isUncertain
      ? route.fulfill({
          status: 409,
          contentType: 'application/problem+json',
          headers: { 'retry-after': '1' },
          body: JSON.stringify({ code: 'usdc-settlement-pending', status: 409, detail: 'Under way.' }),
        })
      : route.continue(),
  )
  await page.goto(`${world.origin}/posts/${postId}`)
  await payUsdc(page).click()
  await page.getByText('Your payment is on its way, but').waitFor()
  equal(await checkout(page).getByRole('button').count(), 0)
  deepEqual(await accessibilityViolations(page, 'under way'), [])
  await page.reload()
  await page.getByText('Your payment is on its way, but').waitFor()
  isUncertain = false
  await fullTextShown(page)
  equal(wallet.calls.filter((method) => method === 'eth_signTypedData_v4').length, 1)
  await page.reload()
  await fullTextShown(page)
  deepEqual(without(complaints, '409'), [])
})

test('without a wallet in the browser the page says what is missing', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await publishForSale('No wallet')
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`)
  await payUsdc(page).click()
  await page.getByText('No wallet found in this browser.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await payUsdc(page).waitFor()
  deepEqual(complaints, [])
})

test('a reader tips a post and a comment, and the dialog shows when the tip has arrived', async () => {
  const postId = await publishForSale('Tipped')
  const comment = { content: 'Thank you for reading.' }
  await world.fixture.ada.owner.addComment({ params: { postId }, idempotencyKey: crypto.randomUUID(), body: comment })
  const { page, complaints } = await openReader()
  await page.goto(`${world.origin}/posts/${postId}`)
  const pay = async () => {
    const link = await page.getByRole('dialog').getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
    await payNanoLink(world, link)
    await page.getByRole('dialog').getByText('Thanks! Your tip has arrived.').waitFor()
    equal(await page.getByRole('timer').count(), 0)
  }
  await page.getByRole('button', { name: 'Tip author' }).click()
  await page.getByRole('button', { name: '0.5 XNO' }).click()
  await page.getByLabel('Message (public)').fill('For the glass.')
  deepEqual(await accessibilityViolations(page, 'a tip'), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Send 0.5 XNO' }).waitFor()
  await pay()
  await page.getByRole('button', { name: 'Close' }).click()

  await page.locator('.comment').getByRole('button', { name: 'Tip' }).click()
  await page.getByLabel('Amount in XNO').fill('0.0001')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.wrong').waitFor()
  await page.getByLabel('Amount in XNO').fill('0.01')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Send 0.01 XNO' }).waitFor()
  await pay()
  const activities = await (await fetch(`${world.origin}/api/posts/${postId}/tip-activities`)).json()
  deepEqual(
    activities.map(({ message, amountReceivedRaw }) => [message, amountReceivedRaw]),
    [['For the glass.', String(5n * 10n ** 29n)]],
  )
  deepEqual(without(complaints, '422'), [])
})

test('an author creates a gift link and revokes it', async () => {
  const postId = await publishForSale('Given')
  const author = await openPage(world)
  await signIn(author, world, world.fixture.ada)
  const { page } = author
  await page.goto(`${world.origin}/posts/${postId}`)
  await fullTextShown(page)
  await page.getByText('Your readers pay from here on.').waitFor()
  await page.getByRole('button', { name: 'Gift link' }).click()
  await page.getByRole('button', { name: 'Create a gift link' }).click()
  const url = await page.getByRole('dialog').locator('code').textContent()
  deepEqual(await accessibilityViolations(page, 'a gift link'), [])

  const friend = await openPage(world)
  await friend.page.goto(url)
  await friend.page.getByText('A gift from').waitFor()
  ok(await friend.page.getByText(secret).isVisible())
  deepEqual(await accessibilityViolations(friend.page, 'a gift'), [])

  await page.getByRole('button', { name: 'Revoke link' }).click()
  await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke link' }).click()
  await page.getByRole('button', { name: 'Create a gift link' }).waitFor()
  await friend.page.goto(url)
  await friend.page.getByText('This gift link has expired.').waitFor()
  ok(await payNano(friend.page).isVisible())
  equal(await friend.page.getByText(secret).count(), 0)
  deepEqual([...author.complaints, ...friend.complaints], [])
})

test('buyers still read a withdrawn post', async () => {
  const postId = await publishForSale('Withdrawn')
  const { page, complaints, person } = await openReader()
  await buyWithNano(world, person, postId)
  await world.fixture.ada.publisher.withdrawPost({ params: { postId } })
  await page.goto(`${world.origin}/library`)
  await page.locator('.library').getByText('withdrawn', { exact: true }).waitFor()
  await page.locator('.library').getByRole('link', { name: 'Withdrawn' }).click()
  await page.locator('.prose', { hasText: secret }).waitFor()
  deepEqual(await accessibilityViolations(page, 'a withdrawn Post'), [])
  deepEqual(complaints, [])
})

// The last test, because moving the clock by an hour expires the access tokens of the others.
test('an expired price says so, and a late payment still buys', async () => {
  const postId = await publishForSale('Late')
  const { page, complaints } = await openReader()
  await page.goto(`${world.origin}/posts/${postId}`)
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send $0.31 · 0.25 XNO' }).waitFor()
  const address = await checkout(page).locator('code').last().textContent()
  await advanceClock(world, 3601)
  await page.getByText('This price has expired.').waitFor({ timeout: 60_000 })
  equal(await page.locator('.checkout .qr').count(), 0)
  ok(await page.getByRole('button', { name: 'Get a new price' }).isVisible())
  deepEqual(await accessibilityViolations(page, 'a price that ran out'), [])
  await sendNano(world, address, price)
  // The service checks old addresses less and less often, so move the clock on.
  await until(async () => {
    await advanceClock(world, 300)
    await page.waitForTimeout(1500)
    return (await page.locator('[data-whole]').count()) > 0
  })
  await fullTextShown(page)
  deepEqual(complaints, [])
})
