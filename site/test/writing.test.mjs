// Writing: shortcuts, menus, the paid line, images, and nothing lost without a network or a browser.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { nanoAddress, register, signIn } from './people.mjs'
import { smallZip } from './small-zip.mjs'
import { openPage, until, useWorld } from './world.mjs'
import { linesOf, openDrawer, paste, saveState, textOf, write } from './writing.mjs'

const world = useWorld(async (started) => {
  const author = await register(started, { name: 'Ada', handle: 'ada_types' })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  return author
})

const createDraft = async (input, author = world.fixture) =>
  (await author.publisher.createPost({ body: { title: 'Draft', ...input } })).body.id

async function openDraft(input, options, author = world.fixture) {
  const visitor = await openPage(world, options)
  await signIn(visitor, world, author)
  const postId = await createDraft(input, author)
  await visitor.page.goto(`${world.origin}/studio/posts/${postId}`)
  await textOf(visitor.page).waitFor()
  return { ...visitor, postId, stored: () => storedPost(postId) }
}

const storedPost = async (postId) => (await world.fixture.publisher.getPost({ params: { postId } })).body
const picture = async () => ({
  name: 'sea.png',
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a8501a' } })
    .png()
    .toBuffer(),
})

test('shortcuts, lists that go on by themselves, and undo', async () => {
  const { page, complaints, stored } = await openDraft()
  await textOf(page).focus()
  await page.keyboard.type('Plain ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('bold')
  await page.keyboard.press('End')
  await page.keyboard.type('\n\n- one\ntwo\n\n\n')
  await page.keyboard.type('Title')
  await page.keyboard.press('Control+Alt+2')
  equal(await linesOf(page), 'Plain **bold**\n\n- one\n- two\n\n## Title')
  await page.locator('.md-strong', { hasText: 'bold' }).waitFor()
  equal(await page.locator('.md-h2').count(), 1)
  await until(async () => (await stored()).freeContentMarkdown === 'Plain **bold**\n\n- one\n- two\n\n## Title')
  await page.getByRole('button', { name: 'Undo' }).click()
  match(await linesOf(page), /\nTitle$/)
  await page.getByText('5 words, 1 min read').waitFor()
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('dialog').getByText('Ctrl+K').waitFor()
  deepEqual(complaints, [])
})

test('the slash menu inserts at the start of a line, by keyboard', async () => {
  const { page, complaints } = await openDraft()
  await textOf(page).focus()
  await page.keyboard.type('/ta')
  await page.getByRole('option', { name: /^Table/ }).waitFor()
  await page.keyboard.press('Enter')
  match(await linesOf(page), /^\s*\| Column \| Column \|\n\| --- \| --- \|/)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\na /')
  equal(await page.getByRole('listbox').count(), 0)
  deepEqual(complaints, [])
})

test('find and replace', async () => {
  const { page, complaints, stored } = await openDraft({ freeContentMarkdown: 'one two one' })
  await textOf(page).focus()
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find' }).fill('one')
  await page.getByRole('textbox', { name: 'Replace' }).fill('three')
  await page.getByRole('button', { name: 'Replace all' }).click()
  await until(async () => (await stored()).freeContentMarkdown === 'three two three')
  deepEqual(complaints, [])
})

test('a post that is opened and saved is the same, byte for byte', async () => {
  const texts = {
    freeContentMarkdown: '\ufeffone\r\ntwo  \n\tthree\r\n\u200b\u202eשלום\r\n',
    paidContentMarkdown: '\n\nfour\r\nfive',
  }
  const { page, complaints, stored } = await openDraft({ ...texts, enablePaywall: true })
  await textOf(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('!')
  await until(async () => (await stored()).paidContentMarkdown === '\n\nfour\r\nfive!')
  await page.keyboard.press('Backspace')
  await until(async () => (await stored()).paidContentMarkdown === texts.paidContentMarkdown)
  await page.locator('.title-input').fill('Another title')
  await until(async () => (await stored()).title === 'Another title')
  equal((await stored()).freeContentMarkdown, texts.freeContentMarkdown)
  deepEqual(complaints, [])
})

test('the paid line moves by keyboard, by its buttons and by dragging', async () => {
  const { page, complaints, stored } = await openDraft({ freeContentMarkdown: 'One\n\nTwo\n\nThree\n' })
  const isPaidFrom = (text) => until(async () => (await stored()).paidContentMarkdown.startsWith(text))
  await textOf(page).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Control+Shift+Enter')
  await isPaidFrom('Two')
  ok((await stored()).enablePaywall)
  await page.keyboard.press('Control+Alt+ArrowDown')
  await isPaidFrom('Three')
  deepEqual([(await stored()).freeContentMarkdown, (await stored()).paidContentMarkdown], ['One\n\nTwo\n\n', 'Three\n'])
  await page.getByRole('button', { name: 'Move the paid line up' }).click()
  await page.getByRole('button', { name: 'Move the paid line up' }).click()
  await isPaidFrom('One')
  equal((await stored()).freeContentMarkdown, '')
  // By pointer, to before the last paragraph.
  const from = await page.locator('.paid-line-label').boundingBox()
  const to = await page.locator('.cm-line', { hasText: 'Three' }).boundingBox()
  await page.mouse.move(from.x + 10, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + 5, to.y - 20, { steps: 4 })
  await page.mouse.move(to.x + 5, to.y + to.height / 2, { steps: 4 })
  await page.locator('.paid-line-target').waitFor({ state: 'attached' })
  await page.mouse.up()
  await isPaidFrom('Three')
  // All of it can be undone, and the line can be taken away.
  await textOf(page).focus()
  await page.keyboard.press('Control+z')
  await isPaidFrom('One')
  await page.getByRole('button', { name: 'Remove the paid line' }).click()
  await until(async () => (await stored()).paidContentMarkdown === '')
  equal((await stored()).freeContentMarkdown, 'One\n\nTwo\n\nThree\n')
  ok(!(await stored()).enablePaywall)
  deepEqual(complaints, [])
})

test('selecting and deleting everything leaves the paid line', async () => {
  const { page, complaints, stored } = await openDraft({
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'Paid',
    enablePaywall: true,
  })
  await textOf(page).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('New')
  await until(async () => (await stored()).paidContentMarkdown === '')
  equal((await stored()).freeContentMarkdown, 'New')
  ok(await page.locator('.paid-line').isVisible())
  deepEqual(complaints, [])
})

test('an image is pasted, a ZIP dropped', async () => {
  const { page, complaints, stored } = await openDraft({
    freeContentMarkdown: 'Before.',
    enablePaywall: true,
    paidContentMarkdown: 'Paid.',
  })
  await textOf(page).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  await paste(page, { files: [await picture()] })
  await page.locator('.text-image img:not([hidden])').waitFor()
  match((await stored()).freeContentMarkdown, /^Before\.\n\n!\[sea\]\(image:[0-9a-f]{12}\)/)
  await page.getByLabel('Caption').fill('The "sea" & <sky>')
  await page.getByLabel('Alt text').fill('Waves')
  await page.getByLabel('Alt text').blur()
  await until(async () =>
    /^Before\.\n\n!\[Waves\]\(image:[0-9a-f]{12} "The \\"sea\\" & <sky>"\)/.test((await stored()).freeContentMarkdown),
  )
  await page.reload()
  await page.locator('.text-image img:not([hidden])').waitFor()
  equal(await page.getByLabel('Caption').inputValue(), 'The "sea" & <sky>')
  await textOf(page).evaluate(
    (content, bytes) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([Uint8Array.from(bytes)], 'lines.zip', { type: 'application/zip' }))
      content.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    [...smallZip()],
  )
  await page.locator('.drawer .badge.good').waitFor()
  deepEqual(complaints, [])
})

test('what was written without a network is there after a reload', async () => {
  const { page, context, stored, postId } = await openDraft({ freeContentMarkdown: 'Saved.' })
  await page.route('**/api/v1/posts/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await write(page, 'Written on a train.')
  await page.getByRole('alert').getByText('The service could not be reached.').waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.unroute('**/api/v1/posts/*')
  const again = await context.newPage()
  await again.goto(`${world.origin}/studio/posts/${postId}`)
  await again.getByText('which had not been saved').waitFor()
  equal(await linesOf(again), 'Written on a train.')
  await until(async () => (await stored()).freeContentMarkdown === 'Written on a train.')
  await saveState(again, 'Saved').waitFor()
  await again.reload()
  await textOf(again).waitFor()
  equal(await again.getByText('which had not been saved').count(), 0)
})

/** A browser with a profile on disk, in its own process group, that can be killed like a browser that crashes. */
async function startBrowser(folder) {
  const child = spawn(
    process.env.CHROMIUM ?? '/usr/bin/chromium',
    ['--headless=new', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const url = await until(() => /ws:\/\/\S+/.exec(output)?.[0])
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  try {
    const browser = await chromium.connectOverCDP(url)
    return { page: browser.contexts()[0].pages()[0], kill }
  } catch (error) {
    await kill()
    throw error
  }
}

test('a browser that is killed loses nothing that was typed more than two seconds ago', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-profile-'))
  const postId = await createDraft({ freeContentMarkdown: 'Saved. ' })
  const path = `${world.origin}/studio/posts/${postId}`
  let browser = await startBrowser(folder)
  try {
    await signIn(browser, world, world.fixture)
    await browser.page.goto(path)
    await textOf(browser.page).focus()
    await browser.page.route('**/api/v1/posts/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await browser.page.keyboard.press('Control+End')
    await browser.page.keyboard.type('And then the lights went out.')
    const typedAt = Date.now()
    await until(() => Date.now() - typedAt > 2000)
    await browser.kill()
    equal((await storedPost(postId)).freeContentMarkdown, 'Saved. ')
    browser = await startBrowser(folder)
    // The browser writes cookies only every half minute, so that the session may be lost. What was written is not.
    await signIn(browser, world, world.fixture)
    await browser.page.goto(path)
    await browser.page.getByText('which had not been saved').waitFor()
    equal(await linesOf(browser.page), 'Saved. And then the lights went out.')
    await until(async () => (await storedPost(postId)).freeContentMarkdown === 'Saved. And then the lights went out.')
  } finally {
    await browser.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

/** How many unsaved texts this browser keeps. */
const copiesIn = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open('drafts', 1)
        request.onsuccess = () => {
          const count = request.result.transaction('copies').objectStore('copies').count()
          count.onsuccess = () => {
            request.result.close()
            resolve(count.result)
          }
        }
      }),
  )

/** Writes what stays in this browser only, and leaves the page. */
async function writeOffline(author) {
  const visitor = await openDraft({ freeContentMarkdown: 'Saved.' }, {}, author)
  const { page } = visitor
  await page.route('**/api/v1/posts/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await write(page, 'Nobody else may read this.')
  await page.getByRole('alert').getByText('The service could not be reached.').waitFor()
  await until(async () => (await copiesIn(page)) === 1)
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`${world.origin}/studio`)
  return visitor
}

test('signing out asks first, then removes unsaved texts from this browser', async () => {
  const author = await register(world, { name: 'Ada', handle: 'ada_leaves' })
  const { page, complaints } = await writeOffline(author)
  const signOut = async () => {
    await page.getByLabel('Your account').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByText('are not saved').waitFor()
  }
  await signOut()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  equal(await copiesIn(page), 1)
  await page.reload()
  await signOut()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  equal(await copiesIn(page), 0)
  equal(await page.evaluate(() => localStorage.getItem('account')), null)
  deepEqual(
    complaints.filter((complaint) => !complaint.includes('Failed to load')),
    [],
  )
})

test('unsaved texts outlive a session that has ended, and no other account finds them', async () => {
  const other = await register(world, { name: 'Bob', handle: 'bob_comes' })
  const { page, context } = await writeOffline(world.fixture)
  equal(await copiesIn(page), 1)
  await context.clearCookies()
  await page.goto(`${world.origin}/studio`)
  await page.waitForURL(/sign-in/)
  // The author may come back.
  equal(await copiesIn(page), 1)
  await signIn({ page }, world, other)
  await page.goto(`${world.origin}/studio`)
  await page.getByText('No posts yet.').waitFor()
  equal(await copiesIn(page), 0)
})

test('an earlier version is compared and restored', async () => {
  const { page, complaints, stored } = await openDraft({ freeContentMarkdown: 'The first text.', title: 'First' })
  await write(page, 'All gone.')
  await until(async () => (await stored()).freeContentMarkdown === 'All gone.')
  await page.getByRole('button', { name: 'History' }).click()
  // A key made the draft. What is written in the browser has no mark.
  await page.getByText(/^Written .* characters, by key …[a-z2-7]{4}$/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Compare' }).first().click()
  await page.getByRole('button', { name: 'Restore' }).click()
  await until(async () => (await stored()).freeContentMarkdown === 'The first text.')
  equal(await linesOf(page), 'The first text.')
  await textOf(page).focus()
  await page.keyboard.press('Control+z')
  await until(async () => (await stored()).freeContentMarkdown === 'All gone.')
  deepEqual(complaints, [])
})

test('a post is scheduled, and the schedule cancelled', async () => {
  const { page, complaints, stored } = await openDraft({
    freeContentMarkdown: 'Tomorrow.',
    category: 'culture',
    language: 'en',
    creationMethod: 'human',
  })
  await openDrawer(page)
  await page.getByText('Publish later, email').click()
  const tomorrow = new Date(Date.now() + 86_400_000)
  await page.getByLabel('Publish on').fill(`${tomorrow.toISOString().slice(0, 10)}T12:00`)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page.getByRole('heading', { name: 'Scheduled for' }).waitFor()
  ok(new Date((await stored()).scheduledFor) > new Date())
  await page.getByRole('button', { name: 'Cancel the schedule' }).click()
  await page.getByRole('heading', { name: 'Publish' }).waitFor()
  equal((await stored()).scheduledFor, null)
  deepEqual(complaints, [])
})

test('typing in a text of 100,000 characters does not wait', async () => {
  const paragraph = `${'Some words that a reader reads, **bold** and [linked](https://example.com). '.repeat(6)}\n\n`
  const { page, complaints } = await openDraft({
    freeContentMarkdown: paragraph.repeat(Math.ceil(100_000 / paragraph.length)),
  })
  await textOf(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('forty letters typed at the very end of it')
  match(await linesOf(page), /forty letters typed at the very end of it$/)
  // The text is not in the page as a whole: only what can be seen.
  ok((await page.locator('.cm-line').count()) < 200)
  deepEqual(complaints, [])
})
