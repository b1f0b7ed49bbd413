// npm run gallery              screenshots for docs/gallery
// npm run gallery -- DIR       every page in all sizes and themes, as full pages, into DIR
// npm run gallery -- DIR NAME  only those whose name matches NAME, such as 'post-desktop'
import { mkdirSync } from 'node:fs'
import sharp from 'sharp'
import { createFixture, tradeForAMonth } from './fixture.mjs'
import { signIn } from './people.mjs'
import { openPage, startWorld } from './world.mjs'

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1280, height: 860 },
}
const kept = new Set([
  'home-desktop-light',
  'home-phone-dark',
  'post-desktop-light',
  'post-phone-dark',
  'post-tablet-light',
  'creator-desktop-dark',
  'editor-desktop-light',
  'studio-tablet-dark',
  'notifications-phone-light',
  'settings-desktop-light',
  'reports-desktop-dark',
  'earnings-desktop-light',
  'earnings-phone-dark',
  'payouts-desktop-dark',
  'transactions-phone-light',
  'leaders-phone-light',
  'paywall-desktop-light',
  'paywall-phone-dark',
  'paying-desktop-light',
  'paying-phone-dark',
  'library-desktop-light',
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
  ['statistics', '/studio/statistics', true],
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

/** A reader who is about to pay, with the QR code on the page. */
async function shootPayment(world, { tomas, postId }, { viewport, colorScheme }, picture) {
  const buyer = await openPage(world, { viewport, colorScheme })
  await signIn(buyer, world, tomas)
  const { page } = buyer
  await page.goto(`${world.origin}/posts/${postId}`, { waitUntil: 'networkidle' })
  if ((await page.locator('.checkout .qr').count()) === 0)
    await page.getByRole('button', { name: 'Pay with Nano' }).click()
  await page.locator('.checkout .qr').waitFor()
  await page.locator('.paywall').evaluate((element) => element.scrollIntoView({ block: 'start' }))
  await shoot(page, picture)
  await buyer.context.close()
}

/** Starts a service, fills it and takes its pictures. */
async function takePictures(fill) {
  const world = await startWorld()
  const { owner: person, pages, fixture } = await fill(world)
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark']) {
      const visitor = await openPage(world, { viewport, colorScheme })
      const owner = await openPage(world, { viewport, colorScheme })
      await signIn(owner, world, person)
      for (const [name, path, isPersonal] of pages) {
        const picture = `${name}-${size}-${colorScheme}`
        if (!isWanted(picture)) continue
        const { page } = isPersonal ? owner : visitor
        await page.goto(world.origin + path, { waitUntil: 'networkidle' })
        await shoot(page, picture)
      }
      const paying = `paying-${size}-${colorScheme}`
      if (fixture && isWanted(paying)) await shootPayment(world, fixture, { viewport, colorScheme }, paying)
      for (const each of [visitor, owner]) {
        if (each.complaints.length > 0) console.log(each.complaints.join('\n'))
        await each.context.close()
      }
    }
  await world.close()
}

await takePictures(async (world) => {
  const fixture = await createFixture(world)
  return { owner: fixture.ada, pages: pagesOf(fixture), fixture }
})
// A second service, because a month passes in it.
await takePictures(async (world) => {
  const fixture = await createFixture(world)
  await tradeForAMonth(world, fixture)
  return { owner: fixture.ada, pages: moneyPages }
})
