// How many steps and seconds a stranger needs from a post's page to its paid text.
import { randomUUID } from 'node:crypto'
import { installWallet } from './browser-wallet.mjs'
import { hasBase, mintUsdc, payNanoLink } from './payments.mjs'
import { baseAddress, nanoAddress, publish, register } from './people.mjs'
import { readQr } from './read-qr.mjs'
import { openPage } from './world.mjs'

const secret = 'The days the boat came.'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** One row per way to pay. The time that a person takes to look, scan and confirm is theirs, and is not in it. */
export async function measurePurchases(world, rounds) {
  const author = await register(world, { name: 'Ines Calder', handle: `ines_${randomUUID().slice(0, 6)}` })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await author.owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
  const ways = [
    { name: 'Nano, by scanning the code', pay: payByCode, scans: 1 },
    { name: 'Nano, in the wallet of the same phone', pay: payByLink, options: phone, scans: 0 },
  ]
  if (await hasBase(world)) ways.push({ name: 'USDC, with a wallet in the browser', pay: payWithUsdc, scans: 0 })
  const rows = []
  for (const way of ways) {
    const runs = []
    for (let round = 0; round < rounds; round += 1) runs.push(await buyOnce(world, author, way))
    const median = (of) => runs.map(of).toSorted((one, other) => one - other)[Math.floor(rounds / 2)]
    rows.push({
      name: way.name,
      clicks: median(({ clicks }) => clicks),
      fields: median(({ fields }) => fields),
      scans: way.scans,
      askedMs: median(({ askedMs }) => askedMs),
      readMs: median(({ readMs }) => readMs),
    })
  }
  return rows
}

async function buyOnce(world, author, { pay, options }) {
  const postId = await publish(author, {
    title: `Eleven years of wind ${randomUUID().slice(0, 6)}`,
    description: 'A keeper wrote one line a day.',
    category: 'culture',
    freeContentMarkdown: 'The keeper wrote **one line a day**.',
    paidContentMarkdown: secret,
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(25n * 10n ** 28n),
  })
  const { page, context } = await openPage(world, options)
  await page.addInitScript(countSteps)
  const wallet = pay === payWithUsdc ? await installWallet(page) : undefined
  if (wallet) await mintUsdc(world, wallet.address, '1000000')
  await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
  const { askedMs, paidAt } = await pay(world, page)
  await page.locator('[data-whole]', { hasText: secret }).waitFor()
  const readMs = performance.now() - paidAt
  const { clicks, fields } = await page.evaluate(() => globalThis.steps)
  await context.close()
  return { clicks, fields, askedMs, readMs }
}

/** Runs in the page. */
function countSteps() {
  globalThis.steps = { clicks: 0, fields: 0 }
  addEventListener('click', ({ isTrusted }) => isTrusted && globalThis.steps.clicks++, true)
  addEventListener('change', ({ isTrusted }) => isTrusted && globalThis.steps.fields++, true)
}

async function payByCode(world, page) {
  const pressedAt = performance.now()
  await page.getByRole('button', { name: 'Pay with Nano' }).click()
  await page.locator('.checkout .qr').waitFor()
  const askedMs = performance.now() - pressedAt
  return { askedMs, paidAt: await payLink(world, await readQr(page.locator('.checkout .qr'))) }
}

async function payByLink(world, page) {
  const pressedAt = performance.now()
  await page.getByRole('button', { name: 'Pay with Nano' }).click()
  const link = page.getByRole('link', { name: 'Open my wallet' })
  await link.waitFor()
  const askedMs = performance.now() - pressedAt
  // No wallet is installed here: the page stays, as it does when a wallet opens in front of it.
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault(), { once: true }))
  await link.click()
  return { askedMs, paidAt: await payLink(world, await link.getAttribute('href')) }
}

async function payLink(world, link) {
  const paidAt = performance.now()
  await payNanoLink(world, link)
  return paidAt
}

async function payWithUsdc(_world, page) {
  const pressedAt = performance.now()
  await page.getByRole('button', { name: 'Pay with USDC' }).click()
  return { askedMs: 0, paidAt: pressedAt }
}
