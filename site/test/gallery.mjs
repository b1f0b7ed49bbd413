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
])

const folder = process.argv[2] ?? new URL('../../docs/gallery/', import.meta.url).pathname
const wanted = process.argv[3]
const takesAll = process.argv[2] !== undefined
mkdirSync(folder, { recursive: true })

function pagesOf(postId, draftId) {
  return [
    ['home', '/', false],
    ['post', `/posts/${postId}`, false],
    ['paywall', `/posts/${postId}#paywall-title`, false],
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

/** Takes the pictures of a world of its own. */
async function take(build) {
  const world = await startWorld()
  const { owner: person, pages } = await build(world)
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
        await page.waitForTimeout(500)
        await sharp(await page.screenshot({ fullPage: takesAll }))
          .webp({ quality: 82 })
          .toFile(`${folder}/${picture}.webp`)
      }
      for (const each of [visitor, owner]) {
        if (each.complaints.length > 0) console.log(each.complaints.join('\n'))
        await each.context.close()
      }
    }
  await world.close()
}

await take(async (world) => {
  const { ada, postId, draftId } = await buildTown(world)
  return { owner: ada, pages: pagesOf(postId, draftId) }
})
// In a world of its own: a month passes in it.
await take(async (world) => {
  const town = await buildTown(world)
  await tradeForAMonth(world, town)
  return { owner: town.ada, pages: moneyPages }
})
