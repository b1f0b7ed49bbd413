// What people come to do, from the first page to the last, by what they see and press.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { advance, sendNano } from './money.mjs'
import { smallZip } from './small-zip.mjs'
import { codeFor, openPage, startWorld, until } from './world.mjs'

let world
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

/** Joins as anybody would. */
async function joins({ page }, name, handle) {
  const email = `${handle}@example.com`
  await page.goto(`${world.origin}/join`)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Handle').fill(handle)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('I take responsibility').check()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByLabel('Code').fill(await codeFor(world, email))
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.waitForURL(`${world.origin}/`)
  await page.getByLabel('Your account').waitFor()
  return email
}

const saved = (page) => page.locator('aside').getByText('Saved', { exact: true }).waitFor()

test('somebody registers, sets up, writes with a picture and a ZIP, publishes; another finds, comments, is answered and told', async () => {
  const author = await openPage(world)
  const { page } = author
  await joins(author, 'Ada Marlow', 'ada_marlow')

  // Sets up where to be paid.
  await page.goto(`${world.origin}/settings/receiving`)
  await page.getByLabel('Nano address').fill('nano_1')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.locator('.wrong').first().waitFor()
  await page.getByLabel('Nano address').fill(nanoAddress)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Your Nano address is saved.').waitFor()

  // Writes.
  await page.goto(`${world.origin}/studio`)
  await page.getByRole('button', { name: 'Write a Post' }).click()
  await page.waitForURL(/\/studio\/posts\//)
  await page.getByLabel('Title').fill('Eleven years of wind')
  await page.getByLabel('Description').fill('A keeper wrote one line a day.')
  const text = page.getByLabel('Free for everybody').locator('textarea')
  await text.fill('# Wind\n\nIt **blew**.\n')
  await page.locator('.preview-pane strong', { hasText: 'blew' }).waitFor()
  await saved(page)

  // A picture, as if dropped.
  const picture = await sharp({ create: { width: 32, height: 16, channels: 3, background: '#a8501a' } })
    .png()
    .toBuffer()
  await page
    .locator('.write input[type=file]')
    .first()
    .setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: picture })
  await page.locator('.preview-pane img').first().waitFor({ timeout: 60_000 })
  match(await text.inputValue(), /!\[sea\]\(image:[0-9a-f]{12}\)/)

  // The rest is sold, with a ZIP.
  await page.getByLabel('Sell a part of it').check()
  await page.getByLabel('Price', { exact: true }).fill('0.25')
  await page.getByLabel('For those who pay').locator('textarea').fill('The days the boat came.')
  await page.locator('[name=category]').selectOption('culture')
  await page.getByLabel('Language').fill('en')
  await page.getByLabel('Tags').fill('weather, archives')
  await page.locator('[name=creationMethod]').selectOption('human')
  await page.getByLabel('I attest').check()
  await saved(page)
  await page.getByRole('button', { name: 'Add a ZIP' }).waitFor()
  await page
    .locator('section[aria-label=ZIPs] input[type=file]')
    .setInputFiles({ name: 'lines.zip', mimeType: 'application/zip', buffer: smallZip() })
  await page.locator('.uploads .badge.good').waitFor({ timeout: 60_000 })

  const publish = page.getByRole('button', { name: 'Publish' })
  await until(() => publish.isEnabled())
  await publish.click()
  await page.getByRole('heading', { name: 'Published' }).waitFor()
  const postId = page.url().split('/').at(-1)

  // Another finds it, without an account, by the keyboard.
  const reader = await openPage(world)
  await reader.page.goto(world.origin)
  await reader.page.keyboard.press('/')
  await reader.page.keyboard.type('wind')
  await reader.page.keyboard.press('Enter')
  await reader.page.getByRole('heading', { name: 'Posts about' }).waitFor()
  await reader.page.keyboard.press('j')
  await reader.page.keyboard.press('Enter')
  await reader.page.waitForURL(`${world.origin}/posts/${postId}`)
  ok(await reader.page.getByText('The rest is for sale').isVisible())
  ok(await reader.page.getByText('0.25 XNO').isVisible())
  ok(await reader.page.locator('.prose img').isVisible())
  ok(await reader.page.getByText('lines.zip').isVisible())
  ok(!(await reader.page.content()).includes('The days the boat came'))

  // Joins, and comes back to say something.
  await joins(reader, 'Tomás Okafor', 'tomas_o')
  await reader.page.goto(`${world.origin}/posts/${postId}`)

  // Buys the rest, and gets the ZIP with it.
  await reader.page.getByRole('button', { name: 'Pay with Nano' }).click()
  const link = await reader.page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')
  await sendNano(world, ...link.slice('nano:'.length).split('?amount='))
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

  // The author is told, goes there, answers.
  const unread = await until(async () => {
    await page.goto(`${world.origin}/notifications`)
    await page.locator('.news li, .empty').first().waitFor()
    return (await page.locator('.news .new').count()) >= 2 && page.locator('.bar .unread').textContent()
  })
  ok(Number.parseInt(unread, 10) >= 2)
  await page.locator('.news a', { hasText: /mention/i }).click()
  await page.waitForURL(new RegExp(`/posts/${postId}`))
  await page.locator('.comment', { hasText: 'Which glass' }).getByRole('button', { name: 'Answer' }).click()
  await page.getByLabel('Answer Tomás Okafor').fill('The outer one.')
  await page.locator('.comment .say button').click()
  await page.locator('.replies .comment-text', { hasText: 'The outer one.' }).waitFor()

  // And the reader is told of the answer.
  await until(async () => {
    await reader.page.goto(`${world.origin}/notifications`)
    await reader.page.locator('.news li, .empty').first().waitFor()
    return (await reader.page.locator('.news .new').count()) > 0
  })
  await reader.page.getByRole('button', { name: 'Mark all as read' }).click()
  await reader.page.getByText('All is read.').waitFor()

  // Thinks better of the comment.
  await reader.page.goto(`${world.origin}/posts/${postId}`)
  await reader.page
    .locator('.comment', { hasText: 'Which glass' })
    .getByRole('button', { name: 'Delete' })
    .first()
    .click()
  await reader.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await reader.page.getByText('This comment was deleted.').waitFor()

  // Withdraws.
  await page.goto(`${world.origin}/studio/posts/${postId}`)
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('heading', { name: 'Withdrawn' }).waitFor()
  equal((await fetch(`${world.origin}/posts/${postId}`)).status, 404)

  // A browser writes down by itself what is refused: here one address that was none.
  deepEqual(
    [...author.complaints, ...reader.complaints].filter((complaint) => !complaint.includes('422')),
    [],
  )
})

test('somebody signs out and in again; a session that is ended elsewhere leads to signing in', async () => {
  const person = await openPage(world)
  const { page } = person
  const email = await joins(person, 'Wren', 'wren_writes')
  await page.getByLabel('Your account').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  equal((await person.context.cookies()).length, 0)

  await page.goto(`${world.origin}/settings/keys`)
  await page.waitForURL(/\/sign-in\?next=/)
  // Mail is not sent twice in one minute.
  await advance(world, 61)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Code').fill(await codeFor(world, email, /sign/i))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${world.origin}/settings/keys`)

  // A key is shown once.
  await page.getByLabel('Label').fill('My laptop')
  await page.getByRole('button', { name: 'Issue' }).click()
  match((await page.locator('.secret').textContent()) ?? '', /^svcpk_/)
  await page.reload()
  await page.getByText('My laptop').waitFor()
  equal(await page.locator('.secret').count(), 0)

  const [cookie] = await person.context.cookies()
  deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Lax', '/'])
  equal(await page.evaluate(() => document.cookie), '')

  // An hour later the access token has ended; the page does not notice, nor does who reads it.
  await page.goto(`${world.origin}/settings/sessions`)
  await page.getByText('this browser').waitFor()
  await advance(world, 3700)
  await page.goto(`${world.origin}/settings/email`)
  await page.getByText(email).waitFor()
  const [renewed] = await person.context.cookies()
  ok(renewed.value !== cookie.value)

  // Ended from elsewhere, it is over.
  const [accessToken] = renewed.value.split('~')
  await fetch(`${world.origin}/api/v1/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
  })
  await page.goto(`${world.origin}/notifications`)
  await page.waitForURL(/\/sign-in/)
  // The one thing a browser writes down by itself is the code that was wrong.
  deepEqual(
    person.complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})

test('without a script everything public reads', async () => {
  const { page, complaints } = await openPage(world, { javaScriptEnabled: false })
  await page.goto(world.origin)
  ok(await page.getByRole('heading', { level: 1 }).isVisible())
  await page.goto(`${world.origin}/leaderboards`)
  await page.goto(`${world.origin}/studio`)
  ok(await page.getByText('with JavaScript').isVisible())
  deepEqual(complaints, [])
})
