// Buying, by what readers see and press: with Nano on the development ledger, with USDC from a wallet in the browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultsOf, widerThan } from './faults.mjs'
import { advance, givesWallet, hasBase, mintUsdc, sendNano } from './money.mjs'
import { readQr } from './read-qr.mjs'
import { publishes, registers, signsIn } from './town.mjs'
import { codeFor, openPage, startWorld, until } from './world.mjs'

const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const price = 25n * 10n ** 28n
const secret = 'The days the boat came.'

let world
let ada
let readers = 0
before(async () => {
  world = await startWorld()
  ada = await registers(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await ada.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await ada.owner.saveBasePayoutAddress({ body: { payoutAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } })
})
after(() => world.close())

const sells = (title = 'Eleven years of wind') =>
  publishes(ada, {
    title,
    description: 'A keeper wrote one line a day.',
    category: 'culture',
    freeContentMarkdown: 'The keeper wrote **one line a day**.',
    paidContentMarkdown: secret,
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(price),
  })

/** Somebody in a browser of their own, signed in. */
async function reader() {
  readers += 1
  const person = await registers(world, { name: `Reader ${readers}`, handle: `reader_${readers}` })
  const visitor = await openPage(world)
  await signsIn(visitor, world, person)
  return { ...visitor, person }
}

const till = (page) => page.locator('.till')
const textThere = (page) => page.locator('[data-whole]', { hasText: secret }).waitFor()
const payNano = (page) => page.getByRole('button', { name: 'Pay with Nano' })
const payUsdc = (page) => page.getByRole('button', { name: 'Pay with USDC' })
/** What a browser writes down by itself: answers that say no. */
const except = (complaints, ...parts) => complaints.filter((each) => !parts.some((part) => each.includes(part)))

test('somebody finds a Post, buys it with Nano in two parts and too much, and reads it without a reload', async () => {
  const postId = await sells()
  const { page, complaints } = await reader()
  await page.goto(world.origin)
  await page.getByLabel('Search Posts').first().fill('wind')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Eleven years of wind' }).click()
  await page.waitForURL(`${world.origin}/posts/${postId}`)
  ok(!(await page.content()).includes(secret))

  // Thinks better of it once.
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send 0.25 XNO' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send 0.25 XNO' }).waitFor()

  const link = await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  const [, address, amount] = /^nano:(nano_\w+)\?amount=(\d+)$/.exec(link)
  equal(BigInt(amount), price)
  equal(await readQr(page.locator('.till .qr')), link)
  deepEqual(await till(page).locator('code').allTextContents(), ['0.25', address])
  match(await page.getByRole('timer').textContent(), /^This price holds for (60:00|59:\d\d)\.$/)
  deepEqual(await faultsOf(page, 'the code to scan'), [])
  equal(await widerThan(page, 320), undefined)

  // A part of it.
  await sendNano(world, address, price / 5n)
  await page.getByText('0.05 XNO has come, 0.2 XNO is missing.').waitFor()
  await page.getByRole('heading', { name: 'Send 0.2 XNO' }).waitFor()

  // The page is loaded anew, and knows.
  await page.reload()
  await page.getByText('0.05 XNO has come, 0.2 XNO is missing.').waitFor()
  equal(await readQr(page.locator('.till .qr')), `nano:${address}?amount=${(price * 4n) / 5n}`)

  // The rest, and more.
  await sendNano(world, address, price)
  await textThere(page)
  equal(await page.locator('[data-paywall]').count(), 0)
  await page.getByText('Paid. The whole text is here.').waitFor()
  const after = 'Paid. The author has the money. 0.05 XNO was too much, and goes back to where it came from.'
  await page.getByText(after).waitFor({ timeout: 30_000 })
  ok(await page.locator('[data-whole]').evaluate((element) => element === document.activeElement))
  deepEqual(await faultsOf(page, 'a Post that was bought'), [])

  // It stays theirs, with its receipt.
  await page.reload()
  await textThere(page)
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.locator('.receipt').getByText('0.25 XNO').waitFor()
  ok(await page.locator('.receipt').getByText('Reader 1').isVisible())
  deepEqual(await faultsOf(page, 'a receipt'), [])
  equal(await widerThan(page, 320), undefined)
  await page.getByRole('link', { name: 'Library' }).last().click()
  await page.locator('.library').getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  await page.getByLabel('Search your library').fill('nothing of the kind')
  await page.getByText('0 Posts found').waitFor()
  await page.getByLabel('Search your library').fill('marlow')
  await page.locator('.library').getByRole('link', { name: 'Eleven years of wind' }).waitFor()
  deepEqual(complaints, [])
})

test('whoever has to sign in first finds the payment opened when they come back', async () => {
  const postId = await sells('Not yet known')
  const person = await registers(world, { name: 'Tomás', handle: 'tomas_o' })
  const { page } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`)
  await payNano(page).click()
  await page.waitForURL(/\/sign-in\?next=/)
  await signsIn({ page }, world, person)
  await page.goto(`${world.origin}/posts/${postId}`)
  await page.getByRole('heading', { name: 'Send 0.25 XNO' }).waitFor()
})

test('a guest buys with USDC, declining once; comes back by the browser, by the wallet, and with an account', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await sells('For a guest')
  const { page, complaints } = await openPage(world)
  const wallet = await givesWallet(page)
  await page.goto(`${world.origin}/posts/${postId}`)

  // Not enough in it: nothing is charged.
  await payUsdc(page).click()
  await page.getByText('This wallet has not enough USDC on Base.').waitFor()
  deepEqual(wallet.asked, ['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_signTypedData_v4'])
  await mintUsdc(world, wallet.address, '1000000')

  wallet.state.declines = 'eth_signTypedData_v4'
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('You declined in the wallet.').waitFor()
  deepEqual(await faultsOf(page, 'declined'), [])
  equal(await widerThan(page, 320), undefined)
  await page.getByRole('button', { name: 'Try again' }).click()
  await textThere(page)
  await page.reload()
  await textThere(page)

  await page.goto(`${world.origin}/library`)
  await page.getByText('You are here as a guest').waitFor()
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.locator('.receipt').getByText('0.3125 USDC').waitFor()
  ok(await page.locator('.receipt').getByText(wallet.address).isVisible())

  // Signed out, the browser still knows what was bought.
  const leave = async () => {
    await page.getByLabel('Your account').click()
    await Promise.all([page.waitForURL(`${world.origin}/`), page.getByRole('button', { name: 'Sign out' }).click()])
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(`${world.origin}/posts/${postId}`)
    await page.getByRole('link', { name: 'Bought it already?' }).click()
  }
  await leave()
  deepEqual(await faultsOf(page, 'bought already'), [])
  await page.getByRole('button', { name: 'Open what I bought in this browser' }).click()
  await textThere(page)

  // And so does the wallet.
  await leave()
  await page.getByRole('button', { name: 'Read as the wallet that paid' }).click()
  await textThere(page)
  equal(wallet.asked.at(-1), 'personal_sign')

  // An account takes it over.
  await signsIn({ page }, world, await registers(world, { name: 'Wren', handle: 'wren_reads' }))
  await page.goto(`${world.origin}/library`)
  await page.getByRole('button', { name: 'Move into my account' }).click()
  await page.locator('.library').getByRole('link', { name: 'For a guest' }).waitFor()
  await page.goto(`${world.origin}/posts/${postId}`)
  await textThere(page)
  deepEqual(except(complaints, '402'), [])
})

test('a guest adds an email, and is a guest no more', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await sells('Kept')
  const { page, complaints } = await openPage(world)
  const wallet = await givesWallet(page)
  await mintUsdc(world, wallet.address, '1000000')
  await page.goto(`${world.origin}/posts/${postId}`)
  await payUsdc(page).click()
  await textThere(page)
  await page.goto(`${world.origin}/sign-in`)
  await page.getByText('You are here as a guest').waitFor()
  deepEqual(await faultsOf(page, 'a guest who signs in'), [])
  await page.getByRole('link', { name: 'add an email' }).click()
  await page.getByLabel('New address').fill('kept@example.com')
  await page.getByRole('button', { name: 'Send a code' }).click()
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(world, 'kept@example.com'))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your address is confirmed.').waitFor()
  await page.goto(`${world.origin}/library`)
  await page.locator('.library').getByRole('link', { name: 'Kept' }).waitFor()
  equal(await page.getByText('guest').count(), 0)
  deepEqual(complaints, [])
})

test('somebody who is signed in pays with USDC; while nobody knows, nothing is signed again', async (t) => {
  if (!(await hasBase(world))) return t.skip('no development chain runs here')
  const postId = await sells('Under way')
  const { page, complaints } = await reader()
  const wallet = await givesWallet(page)
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
  await page.getByText('Your payment is under way').waitFor()
  equal(await till(page).getByRole('button').count(), 0)
  deepEqual(await faultsOf(page, 'under way'), [])
  await page.reload()
  await page.getByText('Your payment is under way').waitFor()
  isUncertain = false
  await textThere(page)
  equal(wallet.asked.filter((method) => method === 'eth_signTypedData_v4').length, 1)
  await page.reload()
  await textThere(page)
  deepEqual(except(complaints, '409'), [])
})

test('without a wallet in the browser the page says what is missing', async () => {
  const postId = await sells('No wallet')
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`)
  await payUsdc(page).click()
  await page.getByText('There is no wallet in this browser.').waitFor()
  await page.getByRole('button', { name: 'Not now' }).click()
  await payUsdc(page).waitFor()
  deepEqual(complaints, [])
})

test('a tip to a Post and to a Comment, in dialogs that tell when it is there', async () => {
  const postId = await sells('Tipped')
  const comment = { content: 'Thank you for reading.' }
  await ada.owner.addComment({ params: { postId }, idempotencyKey: crypto.randomUUID(), body: comment })
  const { page, complaints } = await reader()
  await page.goto(`${world.origin}/posts/${postId}`)
  const pays = async () => {
    const address = await page.getByRole('dialog').locator('code').last().textContent()
    const link = await page.getByRole('dialog').getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
    await sendNano(world, address, link.split('=')[1])
    await page.getByText('Thank you. Your tip is here.').waitFor()
    await page.getByRole('dialog').getByText('Paid. The author has the money.').waitFor({ timeout: 30_000 })
  }
  await page.getByRole('button', { name: 'Tip author' }).click()
  await page.getByRole('button', { name: '0.5 XNO' }).click()
  await page.getByLabel('A few words').fill('For the glass.')
  deepEqual(await faultsOf(page, 'a tip'), [])
  equal(await widerThan(page, 320), undefined)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'Send 0.5 XNO' }).waitFor()
  await pays()
  await page.getByRole('button', { name: 'Close' }).click()

  await page.locator('.comment').getByRole('button', { name: 'Tip' }).click()
  await page.getByLabel('Amount in XNO').fill('0.0001')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.locator('.wrong').waitFor()
  await page.getByLabel('Amount in XNO').fill('0.01')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'Send 0.01 XNO' }).waitFor()
  await pays()
  const activities = await (await fetch(`${world.origin}/api/posts/${postId}/tip-activities`)).json()
  deepEqual(
    activities.map(({ message, amountReceivedRaw }) => [message, amountReceivedRaw]),
    [['For the glass.', String(5n * 10n ** 29n)]],
  )
  deepEqual(except(complaints, '422'), [])
})

test('an author gives a Post away by a link, and takes the link back', async () => {
  const postId = await sells('Given')
  const author = await openPage(world)
  await signsIn(author, world, ada)
  const { page } = author
  await page.goto(`${world.origin}/posts/${postId}`)
  await textThere(page)
  await page.getByText('Your readers pay from here on.').waitFor()
  await page.getByRole('button', { name: 'Gift link' }).click()
  await page.getByRole('button', { name: 'Make a gift link' }).click()
  const url = await page.getByRole('dialog').locator('code').textContent()
  deepEqual(await faultsOf(page, 'a gift link'), [])

  const friend = await openPage(world)
  await friend.page.goto(url)
  await friend.page.getByText('A gift from').waitFor()
  ok(await friend.page.getByText(secret).isVisible())
  deepEqual(await faultsOf(friend.page, 'a gift'), [])

  await page.getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('dialog', { name: 'Take the link back?' }).getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('button', { name: 'Make a gift link' }).waitFor()
  await friend.page.goto(url)
  await friend.page.getByText('This gift link opens nothing any more.').waitFor()
  ok(await payNano(friend.page).isVisible())
  equal(await friend.page.getByText(secret).count(), 0)
  deepEqual([...author.complaints, ...friend.complaints], [])
})

test('what was bought is read by its buyers when it is withdrawn', async () => {
  const postId = await sells('Withdrawn')
  const { page, complaints, person } = await reader()
  const { body } = await person.owner.createPurchase({ idempotencyKey: crypto.randomUUID(), body: { postId } })
  await sendNano(world, body.ephemeral_address.ephemeral_address, price)
  await until(async () => {
    const { body: seen } = await person.owner.getPurchase({ params: { purchaseId: body.purchase.id } })
    return seen.status === 'paid'
  })
  await ada.publisher.withdrawPost({ params: { postId } })
  await page.goto(`${world.origin}/library`)
  await page.locator('.library').getByText('withdrawn', { exact: true }).waitFor()
  await page.locator('.library').getByRole('link', { name: 'Withdrawn' }).click()
  await page.locator('.prose', { hasText: secret }).waitFor()
  deepEqual(await faultsOf(page, 'a withdrawn Post'), [])
  deepEqual(complaints, [])
})

// Last: the hour that passes ends every access token of the others.
test('a price that ran out says so, money that comes late still buys', async () => {
  const postId = await sells('Late')
  const { page, complaints } = await reader()
  await page.goto(`${world.origin}/posts/${postId}`)
  await payNano(page).click()
  await page.getByRole('heading', { name: 'Send 0.25 XNO' }).waitFor()
  const address = await till(page).locator('code').last().textContent()
  await advance(world, 3601)
  await page.getByText('The time for this price is over.').waitFor({ timeout: 60_000 })
  equal(await page.locator('.till .qr').count(), 0)
  ok(await page.getByRole('button', { name: 'Ask for a new price' }).isVisible())
  deepEqual(await faultsOf(page, 'a price that ran out'), [])
  await sendNano(world, address, price)
  // Such an address is looked at ever more rarely: time passes.
  await until(async () => {
    await advance(world, 300)
    await page.waitForTimeout(1500)
    return (await page.locator('[data-whole]').count()) > 0
  })
  await textThere(page)
  deepEqual(complaints, [])
})
