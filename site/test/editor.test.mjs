// The editor says "Saved" only when it is true, and never loses what was written.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { accessibilityViolations } from './accessibility.mjs'
import { nanoAddress, publish, register, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'
import { closeDrawer, linesOf, openDrawer, saveState, textOf, write, writePaid } from './writing.mjs'

/** One author writes everything: registrations are limited. */
const world = useWorld(async (started) => {
  const author = await register(started, { name: 'Ada', handle: 'ada_writes' })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  return author
})

async function signedIn(options) {
  const visitor = await openPage(world, options)
  await signIn(visitor, world, world.fixture)
  return visitor
}

async function openEditor(options) {
  const visitor = await signedIn(options)
  await visitor.page.goto(`${world.origin}/studio`)
  await visitor.page.getByRole('button', { name: 'Write a post' }).click()
  await visitor.page.waitForURL(/\/studio\/posts\//)
  await textOf(visitor.page).waitFor()
  const postId = visitor.page.url().split('/').at(-1)
  const stored = async () => (await world.fixture.publisher.getPost({ params: { postId } })).body
  return { ...visitor, postId, stored }
}

const image = async () => ({
  name: 'sea.png',
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a8501a' } })
    .png()
    .toBuffer(),
})

const imagePicker = (page) => page.locator('.write input[type=file]')
const state = saveState

test('a price that is none is said to be not saved; a comma is a decimal point', async () => {
  const { page, complaints, stored } = await openEditor()
  await openDrawer(page)
  await page.getByLabel('Charge for part of this post').check()
  const price = page.getByLabel('Price', { exact: true })
  // What most posts cost is there already, in dollars.
  await until(async () => (await stored()).priceAtomic === '250000')
  await page.getByLabel('Currency').selectOption('XNO')
  for (const wrong of ['abc', '-1', '0', '1,2,3']) {
    await price.fill(wrong)
    await state(page, 'Not saved: the price must be an amount such as 0.25').waitFor()
    equal(await price.getAttribute('aria-invalid'), 'true', wrong)
  }
  await price.fill('0,50')
  await state(page, 'Saved').waitFor()
  equal((await stored()).priceAtomic, '500000000000000000000000000000')
  // A wrong price matters only while it can be seen.
  await price.fill('abc')
  await state(page, 'Not saved: the price must be an amount such as 0.25').waitFor()
  await page.getByLabel('Charge for part of this post').uncheck()
  await state(page, 'Saved').waitFor()
  await page.getByLabel('Charge for part of this post').check()
  await state(page, 'Not saved: the price must be an amount such as 0.25').waitFor()
  deepEqual(complaints, [])
})

test('a new draft has an empty title; an emptied title is saved as none', async () => {
  const { page, complaints, stored } = await openEditor()
  const title = page.locator('.title-input')
  equal(await title.inputValue(), '')
  await title.fill('Eleven years of wind')
  await until(async () => (await stored()).title === 'Eleven years of wind')
  await title.fill('')
  await state(page, 'Saved').waitFor()
  await until(async () => (await stored()).title === 'Untitled')
  await page.reload()
  equal(await title.inputValue(), '')
  await openDrawer(page)
  ok(await page.getByRole('button', { name: 'Publish now' }).isDisabled())
  // It can be given in the drawer too.
  await page.locator('.drawer [name=title]').fill('From the drawer')
  equal(await title.first().inputValue(), 'From the drawer')
  await until(async () => (await stored()).title === 'From the drawer')
  deepEqual(complaints, [])
})

test('the language is preset until another is chosen, and Ctrl+Z takes back an image', async () => {
  const { page, complaints, stored } = await openEditor()
  await openDrawer(page)
  await until(async () => (await stored()).language !== null)
  await page.locator('[name=language]').selectOption({ label: 'Deutsch' })
  await until(async () => (await stored()).language === 'de')
  await closeDrawer(page)
  await write(page, 'Before.')
  await imagePicker(page).setInputFiles(await image())
  await until(async () => /image:/.test(await linesOf(page)))
  await textOf(page).focus()
  await page.keyboard.press('Control+z')
  match(await linesOf(page), /^(Before\.)?$/)
  await page.keyboard.press('Control+Shift+Z')
  match(await linesOf(page), /^Before\.\n\n!\[sea\]\(image:[0-9a-f]{12}\)/)
  deepEqual(complaints, [])
})

const alert = (page) => page.getByRole('alert')

test('text that was changed elsewhere is not replaced, neither by a save nor after an upload', async () => {
  const { page, postId, stored } = await openEditor()
  await write(page, 'Here.')
  await until(async () => (await stored()).freeContentMarkdown === 'Here.')
  await world.fixture.publisher.updatePost({
    params: { postId },
    headers: { 'x-post-revision': (await stored()).updatedAt },
    body: { freeContentMarkdown: 'Elsewhere.' },
  })
  await openDrawer(page)
  await page
    .getByLabel('Social preview image')
    .locator('input[type=file]')
    .setInputFiles(await image())
  await closeDrawer(page)
  await alert(page).getByText('This post was edited elsewhere.').waitFor()
  await write(page, 'Here again.')
  await state(page, 'Not saved yet').waitFor()
  await page.waitForResponse((reply) => reply.request().method() === 'PATCH' && reply.status() === 409)
  equal((await stored()).freeContentMarkdown, 'Elsewhere.')
  equal(await linesOf(page), 'Here again.')
  // Leaving asks first; after agreeing, the other text is shown.
  page.once('dialog', (dialog) => dialog.accept())
  await alert(page).getByRole('link', { name: 'reload' }).click()
  await until(async () => (await linesOf(page)) === 'Elsewhere.')
  await state(page, 'Saved').waitFor()
  // Nothing is lost: this browser still has the other text.
  await page.getByRole('button', { name: 'Compare both versions' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('mark', { hasText: 'Here again.' }).waitFor()
  await dialog.getByRole('button', { name: 'Use this' }).first().click()
  await until(async () => (await stored()).freeContentMarkdown === 'Here again.')
  await until(async () => (await linesOf(page)) === 'Here again.')
})

test('of two versions the author keeps one, after seeing both', async () => {
  const { page, postId, stored } = await openEditor()
  const changeElsewhere = async (freeContentMarkdown) =>
    world.fixture.publisher.updatePost({
      params: { postId },
      headers: { 'x-post-revision': (await stored()).updatedAt },
      body: { freeContentMarkdown },
    })
  await write(page, 'Same.\n\nHere.')
  await until(async () => (await stored()).freeContentMarkdown === 'Same.\n\nHere.')
  await changeElsewhere('Same.\n\nElsewhere.')
  await write(page, 'Same.\n\nHere again.')
  await page.getByRole('button', { name: 'Compare both versions' }).click()
  const dialog = page.getByRole('dialog')
  deepEqual(await dialog.locator('mark').allTextContents(), ['Here again.', 'Elsewhere.'])
  deepEqual(await accessibilityViolations(page, 'comparison'), [])
  await dialog.getByRole('button', { name: 'Keep yours' }).click()
  await state(page, 'Saved').waitFor()
  equal((await stored()).freeContentMarkdown, 'Same.\n\nHere again.')
  equal(await alert(page).count(), 0)
  await changeElsewhere('Elsewhere again.')
  await write(page, 'Not wanted.')
  await page.getByRole('button', { name: 'Compare both versions' }).click()
  await dialog.getByRole('button', { name: 'Keep the other' }).click()
  await until(async () => (await linesOf(page)) === 'Elsewhere again.')
  await state(page, 'Saved').waitFor()
})

test('what was written while the network was away is saved when it is back', async () => {
  const { page, context, stored } = await openEditor()
  await context.setOffline(true)
  await write(page, 'Written on a train.')
  await alert(page).getByText('The service could not be reached.').waitFor()
  await state(page, 'Not saved yet').waitFor()
  await context.setOffline(false)
  await state(page, 'Saved').waitFor()
  equal(await alert(page).count(), 0)
  equal((await stored()).freeContentMarkdown, 'Written on a train.')
})

test('a save whose reply was lost is not taken for a change elsewhere', async () => {
  const { page, stored } = await openEditor()
  let lost = 0
  await page.route('**/api/v1/posts/*', async (route) => {
    if (route.request().method() !== 'PATCH' || lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  await write(page, 'Into a tunnel')
  await alert(page).getByText('The service could not be reached.').waitFor()
  equal((await stored()).freeContentMarkdown, 'Into a tunnel')
  await write(page, 'Into a tunnel and out.')
  await state(page, 'Saved').waitFor()
  equal(await alert(page).count(), 0)
  equal((await stored()).freeContentMarkdown, 'Into a tunnel and out.')
})

test('unsaved text is not left without asking; a published post is saved when the author says so', async () => {
  const author = world.fixture
  const postId = await publish(author, { title: 'Out', freeContentMarkdown: 'Before.', category: 'culture' })
  const { page, complaints } = await signedIn()
  await page.goto(`${world.origin}/studio/posts/${postId}`)
  const asked = []
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type())
    await dialog.dismiss()
  })
  await textOf(page).click()
  await page.keyboard.type('After. ')
  await state(page, 'Not saved yet').waitFor()
  await page.close({ runBeforeUnload: true })
  await until(() => asked.length === 1)
  deepEqual(asked, ['beforeunload'])
  equal((await author.publisher.getPost({ params: { postId } })).body.freeContentMarkdown, 'Before.')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await state(page, 'Saved').waitFor()
  match((await author.publisher.getPost({ params: { postId } })).body.freeContentMarkdown, /After\. /)
  equal(await page.getByRole('button', { name: 'Save changes' }).count(), 0)
  await write(page, 'Last.')
  await state(page, 'Not saved yet').waitFor()
  await page.keyboard.press('Control+s')
  await state(page, 'Saved').waitFor()
  equal((await author.publisher.getPost({ params: { postId } })).body.freeContentMarkdown, 'Last.')
  deepEqual(complaints, [])
})

test('several images at a time all arrive, and the paid text stays when the paywall goes off and on', async () => {
  const { page, complaints, stored } = await openEditor()
  const files = [1, 2, 3].map(async (index) => ({ ...(await image()), name: `sea ${index}.png` }))
  await imagePicker(page).setInputFiles(await Promise.all(files))
  await until(async () => (await page.locator('.text-image img:not([hidden])').count()) === 3)
  equal(await page.locator('.uploads li').count(), 0)
  // The text for people who do not see an image is asked for in its place.
  const alt = page.getByLabel('Alt text').first()
  equal(await alt.inputValue(), 'sea 1')
  await alt.fill('Waves, grey')
  await alt.blur()
  await until(async () => /!\[Waves, grey\]\(image:/.test((await stored()).freeContentMarkdown))
  await writePaid(page, 'For a cent.')
  await until(async () => (await stored()).paidContentMarkdown === 'For a cent.')
  await openDrawer(page)
  await page.getByLabel('Charge for part of this post').uncheck()
  await page.getByText('Not published: this post is free').waitFor()
  await page.getByLabel('Charge for part of this post').check()
  await page.locator('.paid-line', { hasText: 'Paid from here' }).waitFor()
  match(await linesOf(page), /For a cent\.$/)
  await state(page, 'Saved').waitFor()
  equal((await stored()).paidContentMarkdown, 'For a cent.')
  deepEqual(complaints, [])
})

test('the preview looks like the page', async () => {
  const author = world.fixture
  const freeContentMarkdown = '# One\n\nText.\n\n## Two\n\n### Three\n\n> Quoted\n\n- item\n\n```js\nconst a = 1\n```'
  const postId = await publish(author, { title: 'Looks', freeContentMarkdown, category: 'culture' })
  const { page, complaints } = await signedIn()
  const looks = async (path) => {
    await page.goto(world.origin + path)
    if (path.startsWith('/studio')) await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.prose h3').first().waitFor()
    return page.evaluate(() =>
      ['h1', 'h2', 'h3', 'p', 'blockquote', 'li', 'pre', 'code'].map((tag) => {
        const { font, color, margin, whiteSpace } = getComputedStyle(document.querySelector(`.prose ${tag}`))
        return { tag, font, color, margin, whiteSpace }
      }),
    )
  }
  deepEqual(await looks(`/studio/posts/${postId}`), await looks(`/posts/${postId}`))
  deepEqual(complaints, [])
})

const paidPost = {
  freeContentMarkdown: 'Free.',
  paidContentMarkdown: 'Paid.',
  enablePaywall: true,
  priceCurrency: 'XNO',
  priceAtomic: '250000000000000000000000000000',
  category: 'culture',
}

test('dialogs give the focus back, and a button keeps it while its action runs', async () => {
  const author = world.fixture
  const postId = await publish(author, {
    title: 'Focus',
    ...paidPost,
  })
  const { page, complaints } = await signedIn()
  await page.goto(`${world.origin}/studio/posts/${postId}`)
  await openDrawer(page)
  const focused = () => page.evaluate(() => document.activeElement.textContent)
  const opened = page.locator('dialog:not(.drawer)')
  await page.getByRole('button', { name: 'Unpublish' }).focus()
  await page.keyboard.press('Enter')
  await opened.waitFor()
  await page.keyboard.press('Escape')
  await opened.waitFor({ state: 'detached' })
  equal(await focused(), 'Unpublish')
  await page.getByRole('button', { name: 'Gift link' }).focus()
  await page.keyboard.press('Enter')
  const create = opened.getByRole('button', { name: 'Create a gift link' })
  await create.waitFor()
  let release
  const held = new Promise((resolve) => {
    release = resolve
  })
  let sent = 0
  await page.route('**/gift-link*', async (route) => {
    sent += 1
    await held
    await route.continue()
  })
  await create.focus()
  await page.keyboard.press('Enter')
  await until(async () => (await create.getAttribute('aria-disabled')) === 'true')
  equal(await focused(), 'Create a gift link')
  // Pressing it again does nothing.
  await page.keyboard.press('Enter')
  release()
  await opened.getByText('used 0 times').waitFor()
  equal(sent, 1)
  ok(await page.evaluate(() => document.activeElement.closest('dialog:not(.drawer)') !== null))
  await page.keyboard.press('Escape')
  equal(await focused(), 'Gift link')
  // Publishing takes its button away: the heading says what happened.
  await page.getByRole('button', { name: 'Unpublish' }).click()
  await opened.getByRole('button', { name: 'Unpublish' }).click()
  await until(async () => (await focused()) === 'Unpublished')
  deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'])
  test(`a full editor, a list of posts and of gift links have no serious accessibility violation (${colorScheme})`, async () => {
    const { page, complaints } = await openEditor({
      colorScheme,
      reducedMotion: 'reduce',
    })
    await write(page, '# One\n\nText with a [link](https://example.com).')
    await writePaid(page, '- [ ] list\n\n> quote\n\n```js\nconst a = 1 // one\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |')
    deepEqual(await accessibilityViolations(page, 'editor'), [])
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find' }).waitFor()
    deepEqual(await accessibilityViolations(page, 'search'), [])
    await openDrawer(page)
    await page.getByLabel('Price', { exact: true }).fill('abc')
    deepEqual(await accessibilityViolations(page, 'drawer'), [])
    const author = world.fixture
    const postId = await publish(author, {
      title: 'Paid',
      ...paidPost,
    })
    await author.owner.createGiftLink({ params: { postId } })
    page.on('dialog', (dialog) => dialog.accept())
    for (const path of [`/studio/posts/${postId}`, '/studio', '/studio/gift-links']) {
      await page.goto(world.origin + path, { waitUntil: 'networkidle' })
      deepEqual(await accessibilityViolations(page, path), [])
    }
    deepEqual(complaints, [])
  })

test('formulas are shown when the author turns them on, in the preview and on the page', async () => {
  const { page, postId, stored, complaints } = await openEditor()
  await page.locator('.title-input').fill('Euler')
  await write(page, 'For $5: $e^{i\\pi} = -1$')
  const preview = page.locator('.preview-dialog')
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('$e^{i').waitFor()
  await preview.getByRole('button', { name: 'Close' }).click()
  await openDrawer(page)
  await page.getByText('More options').click()
  await page.getByRole('checkbox', { name: 'Formulas' }).check()
  await closeDrawer(page)
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.locator('math').waitFor()
  await until(async () => (await stored()).math)
  equal((await stored()).freeContentMarkdown, 'For $5: $e^{i\\pi} = -1$')
  await world.fixture.publisher.updatePost({
    params: { postId },
    headers: { 'x-post-revision': (await stored()).updatedAt },
    body: { category: 'education', language: 'en', creationMethod: 'human', creationAttested: true },
  })
  await world.fixture.publisher.publishPost({ params: { postId } })
  await page.goto(`${world.origin}/posts/${postId}`)
  const box = await page.locator('.prose math').boundingBox()
  ok(box.width > 20 && box.height > 5)
  deepEqual(complaints, [])
})
