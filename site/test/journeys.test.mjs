// What people come to do, from the first page to the last, by what they see and press.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { accessibilityViolations } from './accessibility.mjs'
import { advanceClock, payNanoLink } from './payments.mjs'
import { nanoAddress, publish, register } from './people.mjs'
import { smallZip } from './small-zip.mjs'
import { codeFor, openPage, until, useWorld } from './world.mjs'
import { linesOf, openDrawer, saveState, write, writePaid } from './writing.mjs'

const world = useWorld()

/** Registers through the pages. */
async function signUp({ page }, name, handle) {
  const email = `${handle}@example.com`
  await page.goto(`${world.origin}/join`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue with email' }).click()
  await page.getByLabel('Code').fill(await codeFor(world, email))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${world.origin}/`)
  await page.getByLabel('Your account').waitFor()
  await page.goto(`${world.origin}/settings/profile`)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Handle').fill(handle)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Your profile is saved.').waitFor()
  return email
}

/** The email for signing in, after the one for signing up. */
const secondMail = (email) =>
  until(async () => {
    const reply = await fetch(`${world.origin}/dev/mail?to=${encodeURIComponent(email)}`)
    const { messages } = await reply.json()
    return messages.length > 1 && messages[0]
  })

const saved = (page) => saveState(page, 'Saved').waitFor()

test('an author registers, writes a post with an image and a ZIP and publishes it; a reader finds, buys and discusses it', async () => {
  const author = await openPage(world)
  const { page } = author
  await signUp(author, 'Ada Marlow', 'ada_marlow')

  // Saves a payout address.
  await page.goto(`${world.origin}/settings/receiving`)
  await page.getByLabel('Nano address').fill('nano_1')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.locator('.wrong').first().waitFor()
  await page.getByLabel('Nano address').fill(nanoAddress)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Your Nano address is saved.').waitFor()

  // Writes.
  await page.goto(`${world.origin}/studio`)
  await page.getByRole('button', { name: 'Write a post' }).click()
  await page.waitForURL(/\/studio\/posts\//)
  await page.getByLabel('Title').fill('Eleven years of wind')
  await page.getByLabel('Description').fill('A keeper wrote one line a day.')
  await write(page, '# Wind\n\nIt **blew**.\n')
  await page.locator('.md-strong', { hasText: 'blew' }).waitFor()
  await saved(page)

  // Adds an image.
  const picture = await sharp({ create: { width: 32, height: 16, channels: 3, background: '#a8501a' } })
    .png()
    .toBuffer()
  await page
    .locator('.write input[type=file]')
    .setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: picture })
  await page.locator('.text-image img:not([hidden])').first().waitFor({ timeout: 60_000 })
  match(await linesOf(page), /!\[sea\]\(image:[0-9a-f]{12}\)/)

  // Sells the rest, with a ZIP.
  await writePaid(page, 'The days the boat came.')
  await saved(page)
  await openDrawer(page)
  await page.getByLabel('Currency').selectOption('XNO')
  await page.getByLabel('Price', { exact: true }).fill('0.25')
  await page.locator('[name=category]').selectOption('culture')
  await page.locator('[name=language]').selectOption('en')
  await page.locator('[name=creationMethod]').selectOption('human')
  await page.getByText('More options').click()
  await page.getByLabel('Tags').fill('weather, archives')
  await page.getByLabel('Details of how it was written').focus()
  await saved(page)
  await page
    .locator('section[aria-label="ZIP files"] input[type=file]')
    .setInputFiles({ name: 'lines.zip', mimeType: 'application/zip', buffer: smallZip() })
  await page.locator('.uploads .badge.good').waitFor({ timeout: 60_000 })
  const postId = page.url().split('/').at(-1)

  // Publishing ends on the page of the post, ready to be shared.
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('heading', { name: 'Share this post' }).waitFor()
  equal(await page.getAttribute('main', 'data-post'), postId)

  // A reader without an account finds it with the keyboard.
  const reader = await openPage(world)
  await reader.page.goto(world.origin)
  await reader.page.keyboard.press('/')
  await reader.page.keyboard.type('wind')
  await reader.page.keyboard.press('Enter')
  await reader.page.getByRole('heading', { name: 'Posts about' }).waitFor()
  await reader.page.keyboard.press('j')
  await reader.page.keyboard.press('Enter')
  await reader.page.waitForURL(/\/@\w+\/[^/]+$/)
  equal(await reader.page.getAttribute('main', 'data-post'), postId)
  ok(await reader.page.getByText('Pay once, keep it forever.').isVisible())
  ok(await reader.page.getByText('0.25 XNO').first().isVisible())
  // An image has no size before it is loaded.
  await reader.page.locator('.prose img').waitFor()
  ok(await reader.page.getByText('lines.zip').isVisible())
  ok(!(await reader.page.content()).includes('The days the boat came'))

  // The reader signs up and comes back.
  await signUp(reader, 'Tomás Okafor', 'tomas_o')
  await reader.page.goto(`${world.origin}/posts/${postId}`)

  // Buys the post and downloads its ZIP.
  await reader.page.getByRole('button', { name: 'Pay with Nano' }).click()
  const link = await reader.page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  await payNanoLink(world, link)
  await reader.page.getByText('The days the boat came.').waitFor()
  const downloads = reader.page.waitForEvent('download')
  await reader.page.getByRole('link', { name: 'Download: lines.zip' }).click()
  deepEqual(readFileSync(await (await downloads).path()), smallZip())

  await reader.page.getByLabel('Your comment').fill('Which glass, ')
  await reader.page.getByLabel('Your comment').pressSequentially('@ada')
  await reader.page.getByRole('option', { name: 'Ada Marlow' }).waitFor()
  await reader.page.keyboard.press('Enter')
  equal(await reader.page.getByLabel('Your comment').inputValue(), 'Which glass, @ada_marlow ')
  await reader.page.getByRole('button', { name: 'Comment', exact: true }).click()
  await reader.page.locator('.comment-text a', { hasText: '@ada_marlow' }).waitFor()
  await reader.page.getByRole('button', { name: 'Follow' }).click()
  await reader.page.getByRole('button', { name: 'Following' }).waitFor()
  await reader.page.locator('.post-acts [data-reaction=heart]').click()
  await reader.page.locator('.post-acts [data-reaction=heart][aria-pressed=true]').waitFor()

  // The author is notified and replies.
  const unread = await until(async () => {
    await page.goto(`${world.origin}/notifications`)
    await page.locator('.notifications li, .empty').first().waitFor()
    return (await page.locator('.notifications .new').count()) >= 2 && page.locator('.bar .unread').textContent()
  })
  ok(Number.parseInt(unread, 10) >= 2)
  await page.locator('.notifications a', { hasText: /mention/i }).click()
  await page.waitForURL(new RegExp(`/posts/${postId}`))
  await page.locator('.comment', { hasText: 'Which glass' }).getByRole('button', { name: 'Reply' }).click()
  await page.getByLabel('Reply to Tomás Okafor').fill('The outer one.')
  await page.locator('.comment .comment-form button').click()
  await page.locator('.replies .comment-text', { hasText: 'The outer one.' }).waitFor()

  // The reader is notified of the reply.
  await until(async () => {
    await reader.page.goto(`${world.origin}/notifications`)
    await reader.page.locator('.notifications li, .empty').first().waitFor()
    return (await reader.page.locator('.notifications .new').count()) > 0
  })
  await reader.page.getByRole('button', { name: 'Mark all as read' }).click()
  await reader.page.getByText('All caught up.').waitFor()

  // The reader deletes the comment.
  await reader.page.goto(`${world.origin}/posts/${postId}`)
  await reader.page
    .locator('.comment', { hasText: 'Which glass' })
    .getByRole('button', { name: 'Delete' })
    .first()
    .click()
  await reader.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await reader.page.getByText('This comment was deleted.').waitFor()

  // The author withdraws the post.
  await page.goto(`${world.origin}/studio/posts/${postId}`)
  await openDrawer(page)
  await page.getByRole('button', { name: 'Unpublish' }).click()
  await page.locator('dialog:not(.drawer)').getByRole('button', { name: 'Unpublish' }).click()
  await page.getByRole('heading', { name: 'Unpublished' }).waitFor()
  equal((await fetch(`${world.origin}/posts/${postId}`)).status, 404)

  // The browser itself logs refused requests: here the invalid address.
  deepEqual(
    [...author.complaints, ...reader.complaints].filter((complaint) => !complaint.includes('422')),
    [],
  )
})

test('a stranger comments: sees why to sign in, comes back to the comments, and chooses a name there', async () => {
  const author = await register(world, { name: 'Ines', handle: 'ines_keeps' })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  const postId = await publish(author, {
    title: 'One line a day',
    category: 'culture',
    freeContentMarkdown: 'It **blew**.',
  })
  const { page, complaints } = await openPage(world)
  await page.goto(`${world.origin}/posts/${postId}`)
  await page.locator('#comments').getByRole('link', { name: 'Sign in' }).click()
  await page.getByText('Sign in to comment.').waitFor()
  const email = `mira-${Date.now()}@example.org`
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue with email' }).click()
  await page.getByLabel('Code').fill(await codeFor(world, email))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${world.origin}/posts/${postId}#comments`)
  await page.getByLabel('Your comment').fill('Which lighthouse was it?')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Mira')
  await dialog.getByLabel('Handle').fill('mira_asks')
  await dialog.getByLabel('Name').focus()
  await dialog.getByText('@mira_asks is free.').waitFor()
  deepEqual(await accessibilityViolations(page, 'choosing a name'), [])
  await dialog.getByRole('button', { name: 'Save and go on' }).click()
  await page.locator('.comment', { hasText: 'Which lighthouse was it?' }).getByText('Mira').first().waitFor()
  // The browser itself logs the reply that asked for a name.
  deepEqual(
    complaints.filter((complaint) => !complaint.includes('422')),
    [],
  )
})

test('the link in the email signs in, after it has asked', async () => {
  const person = await openPage(world)
  const { page } = person
  const email = await signUp(person, 'Robin', 'robin_reads')
  await page.getByLabel('Your account').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await advanceClock(world, 61)
  await page.goto(`${world.origin}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue with email' }).click()
  const link = /http\S+#\S+/.exec((await secondMail(email)).text)[0]
  await page.goto(link)
  await page.getByText(`Sign in as ${email}?`).waitFor()
  equal(new URL(page.url()).hash, '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${world.origin}/`)
  await page.getByLabel('Your account').waitFor()
  deepEqual(person.complaints, [])
})

test('a user signs out and in again; a session that was ended elsewhere leads to the sign-in page', async () => {
  const person = await openPage(world)
  const { page } = person
  const email = await signUp(person, 'Wren', 'wren_writes')
  await page.getByLabel('Your account').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  equal((await person.context.cookies()).length, 0)

  await page.goto(`${world.origin}/settings/keys`)
  await page.waitForURL(/\/sign-in\?next=/)
  // The service sends only one code per minute.
  await advanceClock(world, 61)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue with email' }).click()
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Code').fill((await secondMail(email)).code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${world.origin}/settings/keys`)

  // A key is shown once.
  await page.getByLabel('Label').fill('My laptop')
  await page.getByRole('button', { name: 'Create key' }).click()
  match((await page.locator('.secret').textContent()) ?? '', /^svcpk_/)
  await page.reload()
  await page.getByText('My laptop').waitFor()
  equal(await page.locator('.secret').count(), 0)

  const [cookie] = await person.context.cookies()
  deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Lax', '/'])
  equal(await page.evaluate(() => document.cookie), '')

  // An hour later the access token has expired; the page renews it unnoticed.
  await page.goto(`${world.origin}/settings/sessions`)
  await page.getByText('this browser').waitFor()
  await page.getByText('Chrome on Linux').waitFor()
  await page.getByText(/Signed in by email .*, last used just now/).waitFor()
  await advanceClock(world, 3700)
  await page.goto(`${world.origin}/settings/email`)
  await page.getByText(email).waitFor()
  const [renewed] = await person.context.cookies()
  ok(renewed.value !== cookie.value)

  // Ended elsewhere, the session is over.
  const [accessToken] = renewed.value.split('~')
  await fetch(`${world.origin}/api/v1/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
  })
  await page.goto(`${world.origin}/notifications`)
  await page.waitForURL(/\/sign-in/)
  // The browser itself logs the refused code.
  deepEqual(
    person.complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})

test('public pages work without JavaScript', async () => {
  const { page, complaints } = await openPage(world, { javaScriptEnabled: false })
  await page.goto(world.origin)
  ok(await page.getByRole('heading', { level: 1 }).isVisible())
  await page.goto(`${world.origin}/leaderboards`)
  await page.goto(`${world.origin}/studio`)
  ok(await page.getByText('with JavaScript').isVisible())
  deepEqual(complaints, [])
})

test('from registration to the first paid post: nine clicks, four fields', async () => {
  const { page, complaints } = await openPage(world, { locale: 'de-DE' })
  let [clicks, fields] = [0, 0]
  const click = async (target) => {
    clicks += 1
    await target.click()
  }
  const choose = async (target, value) => {
    clicks += 1
    await target.selectOption(value)
  }
  const fill = async (target, value) => {
    fields += 1
    await target.fill(value)
  }
  const email = 'nora.quick@example.com'
  await page.goto(`${world.origin}/join`)
  await fill(page.getByLabel('Email'), email)
  await click(page.getByRole('button', { name: 'Continue with email' }))
  await fill(page.getByLabel('Code'), await codeFor(world, email))
  await click(page.getByRole('button', { name: 'Continue' }))
  await click(page.getByRole('link', { name: 'Write', exact: true }))
  await click(page.getByRole('button', { name: 'Write a post' }))
  // The cursor is in the title already.
  await page.locator('.title-input:focus').waitFor()
  fields += 1
  await page.keyboard.type('My first post')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Free for everyone.\n\n')
  await click(page.getByRole('button', { name: 'Paid from here' }))
  await page.keyboard.type('For a quarter.')
  await click(page.locator('.editor-bar').getByRole('button', { name: 'Publish' }))
  await choose(page.locator('[name=category]'), 'culture')
  await choose(page.locator('[name=creationMethod]'), 'human')
  await fill(page.getByLabel('Payout address'), nanoAddress)
  await click(page.getByRole('button', { name: 'Publish now' }))
  await page.getByRole('heading', { name: 'Share this post' }).waitFor()
  ok(await page.getByText('Free for everyone.').isVisible())
  ok(await page.getByText('$0.25').first().isVisible())
  equal(await page.getByRole('link', { name: 'Nora Quick' }).first().getAttribute('href'), '/@nora_quick')
  // The language is that of the browser.
  equal(await page.locator('article[lang=de]').first().isVisible(), true)
  ok(clicks <= 9 && fields <= 4, `${clicks} clicks, ${fields} fields`)
  deepEqual(complaints, [])
})
