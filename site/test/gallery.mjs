// npm run gallery              one picture of each page for docs/gallery: desktop and phone, light and dark
// npm run gallery -- DIR       each page in all sizes and themes, as full pages, into DIR
// npm run gallery -- DIR NAME  only those whose name matches NAME, such as 'post-desktop'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { createFixture, tradeForAMonth } from './fixture.mjs'
import { publish, signIn } from './people.mjs'
import { startProgram } from './program.mjs'
import { openPage, startWorld } from './world.mjs'
import { openDrawer } from './writing.mjs'

const takesAll = process.argv[2] !== undefined
const folder = process.argv[2] ?? new URL('../../docs/gallery/', import.meta.url).pathname
const wanted = new RegExp(process.argv[3] ?? '')

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 860 }
const sizes = takesAll ? { phone, tablet: { width: 820, height: 1180 }, desktop } : { desktop, phone }

/** Each page: its name, its title in the gallery, who looks at it, its path, and what is done there before the picture. */
function pagesOf({ postId, boughtId, draftId, consentPath }) {
  const at = (id) => (page) => page.locator(id).evaluate((element) => element.scrollIntoView({ block: 'start' }))
  return [
    ['home', 'Home', 'visitor', '/'],
    ['search', 'Search', 'visitor', '/?q=wind'],
    ['post', 'A post', 'visitor', `/posts/${postId}`],
    ['paywall', 'The paywall', 'visitor', `/posts/${postId}`, at('.paywall')],
    ['paying', 'Paying with Nano', 'visitor', `/posts/${postId}`, pay],
    ['bought', 'A post that was bought', 'owner', `/posts/${boughtId}`],
    ['comments', 'Comments', 'owner', `/posts/${postId}`, at('#comments')],
    ['author', 'An author', 'visitor', '/@ada_marlow'],
    ['tag', 'A tag', 'visitor', '/tags/slow-things'],
    ['leaderboards', 'Leaderboards', 'visitor', '/leaderboards'],
    ['sign-in', 'Signing in and signing up', 'visitor', '/sign-in'],
    ['following', 'Posts of those you follow', 'owner', '/following'],
    ['notifications', 'Notifications', 'owner', '/notifications'],
    ['library', 'The library', 'owner', '/library'],
    ['saved', 'Saved posts', 'owner', '/library/saved'],
    ['receipt', 'A receipt', 'owner', `/library/${boughtId}`],
    ['studio', 'The studio', 'owner', '/studio'],
    ['editor', 'The editor', 'owner', `/studio/posts/${draftId}`],
    ['publishing', 'Publishing', 'owner', `/studio/posts/${draftId}`, openDrawer],
    ['preview', 'The preview', 'owner', `/studio/posts/${draftId}`, preview],
    ['series', 'Series', 'owner', '/studio/series'],
    ['subscribers', 'Email subscribers', 'owner', '/studio/subscribers'],
    ['gift-links', 'Gift links', 'owner', '/studio/gift-links'],
    ['profile', 'Your profile', 'owner', '/settings/profile'],
    ['receiving', 'Where your money goes', 'owner', '/settings/receiving'],
    ['email', 'Your email', 'owner', '/settings/email'],
    ['wallets', 'Your wallets', 'owner', '/settings/wallets'],
    ['notification-settings', 'What you are notified of', 'owner', '/settings/notifications'],
    ['feed', 'Your private feed', 'owner', '/settings/feed'],
    ['sessions', 'Your sessions', 'owner', '/settings/sessions'],
    ['keys', 'Publishing keys', 'owner', '/settings/keys'],
    ['programs', 'Connected programs', 'owner', '/settings/programs'],
    ['consent', 'A program asks for access', 'owner', consentPath],
    ['webhooks', 'Webhooks', 'owner', '/settings/webhooks'],
    ['admin', 'Administration', 'owner', '/admin'],
    ['site-settings', 'Site settings', 'owner', '/admin/site'],
    ['invitations', 'Invitations', 'owner', '/admin/invitations'],
    ['reports', 'Reports', 'owner', '/admin/reports'],
    ['accounts', 'Accounts', 'owner', '/admin/accounts'],
    ['holds', 'Files held back', 'owner', '/admin/holds'],
    ['audit', 'What administrators did', 'owner', '/admin/audit'],
    ['docs', 'The API reference', 'visitor', '/docs'],
    ['docs-search', 'Searching the docs', 'visitor', '/docs', searchDocs],
    ['guide', 'A guide', 'visitor', '/docs/quick-start'],
    ['problem', 'What an error means', 'visitor', '/problems/publication-blocked'],
    ['embed', 'A post on another site', 'visitor', `/embed/posts/${postId}`],
    ['about', 'About', 'visitor', '/about'],
    ['offline', 'Without a connection', 'visitor', '/offline'],
    ['missing', 'A page that does not exist', 'visitor', '/posts/nothing'],
  ]
}

const moneyPages = ({ postId }) => [
  ['statistics', 'Statistics', 'owner', '/studio/statistics'],
  ['post-statistics', 'Statistics of a post', 'owner', `/studio/posts/${postId}/statistics`],
  ['earnings', 'Earnings', 'owner', '/studio/earnings/overview'],
  ['transactions', 'Transactions', 'owner', '/studio/earnings/transactions'],
  ['payouts', 'Payouts', 'owner', '/studio/earnings/payouts'],
  ['obligations', 'What the site owes', 'owner', '/admin/obligations'],
  ['jobs', 'Jobs that failed', 'owner', '/admin/jobs'],
]

/** A reader who is about to pay, with the QR code on the page. */
async function pay(page) {
  if ((await page.locator('.checkout .qr').count()) === 0)
    await page.getByRole('button', { name: 'Pay with Nano' }).click()
  await page.locator('.checkout .qr').waitFor()
  await page.locator('.paywall').evaluate((element) => element.scrollIntoView({ block: 'start' }))
}

async function preview(page) {
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview-dialog').waitFor()
}

async function searchDocs(page) {
  await page.getByRole('searchbox', { name: 'Search the docs' }).fill('webhook')
  await page.locator('.docs-search .results a').first().waitFor()
}

/** A webhook, a connected program, and the path at which another one asks. */
async function connectPrograms(world, { ada }) {
  const events = ['sale.created', 'tip.created']
  await ada.owner.createWebhook({
    body: { url: 'https://example.org/pennypost', events, description: 'My bookkeeping' },
  })
  const connected = await startProgram(world, 'Desk robot', 'https://robot.example/callback')
  await connected.allow(ada)
  const asking = await startProgram(world, 'Reading assistant', 'https://assistant.example/callback')
  return asking.path
}

/** What only the studio shows. */
async function fillStudio({ ada, postId }) {
  const second = await publish(ada, {
    title: 'What the tender carried',
    description: 'Eleven years of coal, flour and letters.',
    freeContentMarkdown: 'The list begins with coal.',
    category: 'culture',
  })
  await ada.publisher.createSeries({ body: { title: 'The keepers', postIds: [postId, second] } })
  await ada.owner.createGiftLink({ params: { postId } })
  await ada.owner.importSubscribers({
    body: {
      emails: ['mara@example.org', 'jonas@example.org', 'li@example.net'],
      consent: true,
      consentSource: 'my newsletter at example.org',
    },
  })
  await ada.owner.updateSiteSettings({ body: { aboutMarkdown: 'Essays from the west coast, sold one at a time.' } })
  await ada.owner.addBookmark({ params: { postId: second } })
}

/** Starts a service, fills it, and returns the picture of each page in each size and theme. */
async function takePictures(fill) {
  const world = await startWorld()
  const { owner: person, pages } = await fill(world)
  const pictures = new Map()
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark']) {
      const visitor = await openPage(world, { viewport, colorScheme })
      const owner = await openPage(world, { viewport, colorScheme })
      await signIn(owner, world, person)
      for (const [name, , who, path, act] of pages) {
        const picture = `${name}-${size}-${colorScheme}`
        if (!wanted.test(picture)) continue
        const { page } = who === 'owner' ? owner : visitor
        await page.goto(world.origin + path, { waitUntil: 'networkidle' })
        await act?.(page)
        await page.waitForTimeout(500)
        pictures.set(picture, await page.screenshot({ fullPage: takesAll && !act }))
      }
      for (const each of [visitor, owner]) {
        if (each.complaints.length > 0) console.log(each.complaints.join('\n'))
        await each.context.close()
      }
    }
  await world.close()
  return { pages, pictures }
}

const gap = 12
const height = 430
const widthOf = (size) => Math.round((size.width * height) / size.height)

/** Desktop and phone side by side, light above dark. */
async function composed(pictures, name) {
  const shrunk = (size, theme) =>
    sharp(pictures.get(`${name}-${size}-${theme}`))
      .resize({ width: widthOf(sizes[size]), height, fit: 'fill' })
      .toBuffer()
  const left = widthOf(desktop) + gap
  const canvas = { width: left + widthOf(phone), height: 2 * height + gap, channels: 3, background: '#888' }
  return sharp({ create: canvas })
    .composite([
      { input: await shrunk('desktop', 'light'), left: 0, top: 0 },
      { input: await shrunk('phone', 'light'), left, top: 0 },
      { input: await shrunk('desktop', 'dark'), left: 0, top: height + gap },
      { input: await shrunk('phone', 'dark'), left, top: height + gap },
    ])
    .webp({ quality: 78 })
    .toBuffer()
}

const heading = `# Gallery

Every page in Chromium with Debian's fonts: desktop and phone, light and dark. \`npm run gallery\` makes this page and its pictures.
\`npm run gallery -- /tmp/pictures\` takes each page in full, also on a tablet; a pattern as second argument selects pages.
`

mkdirSync(folder, { recursive: true })
const parts = [
  await takePictures(async (world) => {
    const fixture = await createFixture(world)
    await fillStudio(fixture)
    const consentPath = await connectPrograms(world, fixture)
    return { owner: fixture.ada, pages: pagesOf({ ...fixture, consentPath }) }
  }),
  // A second service, because a month passes in it.
  await takePictures(async (world) => {
    const fixture = await createFixture(world)
    await tradeForAMonth(world, fixture)
    return { owner: fixture.ada, pages: moneyPages(fixture) }
  }),
]
if (takesAll) {
  for (const { pictures } of parts)
    for (const [name, picture] of pictures) await sharp(picture).webp({ quality: 82 }).toFile(`${folder}/${name}.webp`)
} else {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  const sections = []
  for (const { pages, pictures } of parts)
    for (const [name, title] of pages) {
      writeFileSync(`${folder}/${name}.webp`, await composed(pictures, name))
      sections.push(`## ${title}\n\n![${title}, on desktop and phone, light and dark](${name}.webp)\n`)
    }
  // The README of the project begins with it.
  const home = parts[0].pictures.get('home-desktop-light')
  writeFileSync(`${folder}/home-desktop-light.webp`, await sharp(home).webp({ quality: 82 }).toBuffer())
  writeFileSync(`${folder}/README.md`, [heading, ...sections].join('\n'))
}
