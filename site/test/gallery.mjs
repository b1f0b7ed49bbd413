// npm run gallery            pictures of all pages, into docs/gallery
// npm run gallery -- DIR     all sizes and colours of every page, into a folder of your own
import { mkdirSync } from 'node:fs'
import sharp from 'sharp'
import { tradeForAMonth } from './market.mjs'
import { buildTown, signsIn } from './town.mjs'
import { openPage, startWorld } from './world.mjs'

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desk: { width: 1280, height: 860 },
}
const kept = new Set([
  'home-desk-light',
  'home-phone-dark',
  'post-desk-light',
  'post-phone-dark',
  'post-tablet-light',
  'creator-desk-dark',
  'editor-desk-light',
  'studio-tablet-dark',
  'notifications-phone-light',
  'settings-desk-light',
  'reports-desk-dark',
  'earnings-desk-light',
  'earnings-phone-dark',
  'payouts-desk-dark',
  'transactions-phone-light',
  'leaders-phone-light',
  'paywall-desk-light',
  'paywall-phone-dark',
  'paying-desk-light',
  'paying-phone-dark',
  'library-desk-light',
  'receipt-phone-light',
])

const folder = process.argv[2] ?? new URL('../../docs/gallery/', import.meta.url).pathname
const wanted = process.argv[3]
const takesAll = process.argv[2] !== undefined
mkdirSync(folder, { recursive: true })

function pagesOf({ postId, boughtId, draftId }) {
  return [
    ['home', '/', false],
    ['post', `/posts/${postId}`, false],
    ['paywall', `/posts/${postId}#paywall-title`, false],
    ['bought', `/posts/${boughtId}`, true],
    ['comments', `/posts/${postId}#comments`, true],
    ['creator', '/@ada_marlow', false],
    ['leaders', '/leaderboards', false],
    ['sign-in', '/sign-in', false],
    ['join', '/join', false],
    ['studio', '/studio', true],
    ['editor', `/studio/posts/${draftId}`, true],
    ['notifications', '/notifications', true],
    ['profile', '/settings/profile', true],
    ['receiving', '/settings/receiving', true],
    ['library', '/library', true],
    ['receipt', `/library/${boughtId}`, true],
    ['wallets', '/settings/wallets', true],
    ['settings', '/settings/notifications', true],
    ['keys', '/settings/keys', true],
    ['reports', '/admin/reports', true],
    ['audit', '/admin/audit', true],
    ['missing', '/posts/nothing', false],
  ]
}

const moneyPages = [
  ['earnings', '/studio/earnings/overview', true],
  ['transactions', '/studio/earnings/transactions', true],
  ['payouts', '/studio/earnings/payouts', true],
  ['feed', '/settings/feed', true],
  ['obligations', '/admin/obligations', true],
  ['jobs', '/admin/jobs', true],
]

const isWanted = (picture) => (takesAll ? !wanted || new RegExp(wanted).test(picture) : kept.has(picture))

async function shoot(page, picture) {
  await page.waitForTimeout(500)
  await sharp(await page.screenshot({ fullPage: takesAll }))
    .webp({ quality: 82 })
    .toFile(`${folder}/${picture}.webp`)
}

/** Somebody who is about to pay, and has the code before them. */
async function shootPaying(world, { tomas, postId }, { viewport, colorScheme }, picture) {
  const buyer = await openPage(world, { viewport, colorScheme })
  await signsIn(buyer, world, tomas)
  const { page } = buyer
  await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
  if ((await page.locator('.till .qr').count()) === 0) await page.getByRole('button', { name: 'Pay with Nano' }).click()
  await page.locator('.till .qr').waitFor()
  await page.locator('.paywall').evaluate((element) => element.scrollIntoView({ block: 'start' }))
  await shoot(page, picture)
  await buyer.context.close()
}

/** Takes the pictures of a world of its own. */
async function take(build) {
  const world = await startWorld()
  const { owner: person, pages, town } = await build(world)
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark']) {
      const visitor = await openPage(world, { viewport, colorScheme })
      const owner = await openPage(world, { viewport, colorScheme })
      await signsIn(owner, world, person)
      for (const [name, path, isPersonal] of pages) {
        const picture = `${name}-${size}-${colorScheme}`
        if (!isWanted(picture)) continue
        const { page } = isPersonal ? owner : visitor
        await page.goto(world.origin + path, { waitUntil: 'networkidle' })
        await shoot(page, picture)
      }
      const paying = `paying-${size}-${colorScheme}`
      if (town && isWanted(paying)) await shootPaying(world, town, { viewport, colorScheme }, paying)
      for (const each of [visitor, owner]) {
        if (each.complaints.length > 0) console.log(each.complaints.join('\n'))
        await each.context.close()
      }
    }
  await world.close()
}

await take(async (world) => {
  const town = await buildTown(world)
  return { owner: town.ada, pages: pagesOf(town), town }
})
// In a world of its own: a month passes in it.
await take(async (world) => {
  const town = await buildTown(world)
  await tradeForAMonth(world, town)
  return { owner: town.ada, pages: moneyPages }
})
