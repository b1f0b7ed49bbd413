// The editor says "Saved" only when it is true, and never loses what was written.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { accessibilityViolations } from './accessibility.mjs'
import { nanoAddress, publish, register, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

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
  await freeText(visitor.page).waitFor()
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

const freeText = (page) => page.locator('[name=freeContentMarkdown]')
const state = (page, text) => page.locator('aside [role=status]').getByText(text, { exact: true })

test('a price that is none is said to be not saved; a comma is a decimal point', async () => {
  const { page, complaints, stored } = await openEditor()
  await page.getByLabel('Charge for part of this post').check()
  const price = page.getByLabel('Price', { exact: true })
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
  const title = page.getByLabel('Title')
  equal(await title.inputValue(), '')
  await title.fill('Eleven years of wind')
  await until(async () => (await stored()).title === 'Eleven years of wind')
  await title.fill('')
  await state(page, 'Saved').waitFor()
  await until(async () => (await stored()).title === 'Untitled')
  await page.reload()
  equal(await title.inputValue(), '')
  ok(await page.getByRole('button', { name: 'Publish' }).isDisabled())
  deepEqual(complaints, [])
})

test('the language is chosen from a list, and Ctrl+Z takes back an image that was put into the text', async () => {
  const { page, complaints, stored } = await openEditor()
  await page.locator('[name=language]').selectOption({ label: 'Deutsch' })
  await until(async () => (await stored()).language === 'de')
  const text = page.locator('[name=freeContentMarkdown]')
  await text.fill('Before.')
  await page
    .locator('.write input[type=file]')
    .first()
    .setInputFiles(await image())
  await until(async () => /image:/.test(await text.inputValue()))
  await text.focus()
  await page.keyboard.press('Control+z')
  match(await text.inputValue(), /^(Before\.)?$/)
  deepEqual(complaints, [])
})

const alert = (page) => page.getByRole('alert')

test('text that was changed elsewhere is not replaced, neither by a save nor after an upload', async () => {
  const { page, postId, stored } = await openEditor()
  await freeText(page).fill('Here.')
  await until(async () => (await stored()).freeContentMarkdown === 'Here.')
  await world.fixture.publisher.updatePost({
    params: { postId },
    headers: { 'x-post-revision': (await stored()).updatedAt },
    body: { freeContentMarkdown: 'Elsewhere.' },
  })
  await page
    .getByLabel('Social preview image')
    .locator('input[type=file]')
    .setInputFiles(await image())
  await alert(page).getByText('This post was edited elsewhere.').waitFor()
  await freeText(page).fill('Here again.')
  await state(page, 'Not saved yet').waitFor()
  await page.waitForResponse((reply) => reply.request().method() === 'PATCH' && reply.status() === 409)
  equal((await stored()).freeContentMarkdown, 'Elsewhere.')
  equal(await freeText(page).inputValue(), 'Here again.')
  // Leaving asks first; who agrees reads the other text.
  page.once('dialog', (dialog) => dialog.accept())
  await alert(page).getByRole('link', { name: 'reload' }).click()
  await until(async () => (await freeText(page).inputValue()) === 'Elsewhere.')
  await state(page, 'Saved').waitFor()
})

test('what was written while the network was away is saved when it is back', async () => {
  const { page, context, stored } = await openEditor()
  await context.setOffline(true)
  await freeText(page).fill('Written on a train.')
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
  await freeText(page).fill('Into a tunnel')
  await alert(page).getByText('The service could not be reached.').waitFor()
  equal((await stored()).freeContentMarkdown, 'Into a tunnel')
  await freeText(page).fill('Into a tunnel and out.')
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
  await freeText(page).click()
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
  await freeText(page).fill('Last.')
  await state(page, 'Not saved yet').waitFor()
  await page.keyboard.press('Control+s')
  await state(page, 'Saved').waitFor()
  equal((await author.publisher.getPost({ params: { postId } })).body.freeContentMarkdown, 'Last.')
  deepEqual(complaints, [])
})

test('several images at a time all arrive, and the paid text stays when the paywall goes off and on', async () => {
  const { page, complaints, stored } = await openEditor()
  const files = [1, 2, 3].map(async (index) => ({ ...(await image()), name: `sea ${index}.png` }))
  await page
    .locator('.write input[type=file]')
    .first()
    .setInputFiles(await Promise.all(files))
  await until(async () => (await page.locator('.preview-pane img').count()) === 3)
  await until(async () => (await page.locator('.uploads li').count()) === 0)
  await page.getByLabel('Charge for part of this post').check()
  const paid = page.locator('[name=paidContentMarkdown]')
  await paid.fill('For a cent.')
  await page.getByLabel('Charge for part of this post').uncheck()
  await paid.waitFor({ state: 'hidden' })
  await page.getByLabel('Charge for part of this post').check()
  equal(await paid.inputValue(), 'For a cent.')
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
  const focused = () => page.evaluate(() => document.activeElement.textContent)
  await page.getByRole('button', { name: 'Unpublish' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  equal(await focused(), 'Unpublish')
  await page.getByRole('button', { name: 'Gift link' }).focus()
  await page.keyboard.press('Enter')
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create a gift link' })
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
  await page.getByRole('dialog').getByText('used 0 times').waitFor()
  equal(sent, 1)
  ok(await page.evaluate(() => document.activeElement.closest('dialog') !== null))
  await page.keyboard.press('Escape')
  equal(await focused(), 'Gift link')
  // Publishing takes its button away: the heading says what happened.
  await page.getByRole('button', { name: 'Unpublish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click()
  await until(async () => (await focused()) === 'Unpublished')
  deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'])
  test(`a full editor, a list of posts and of gift links have no serious accessibility violation (${colorScheme})`, async () => {
    const { page, complaints } = await openEditor({
      colorScheme,
      reducedMotion: 'reduce',
    })
    await freeText(page).fill('# One\n\nText with a [link](https://example.com).')
    await page.getByLabel('Charge for part of this post').check()
    await page.getByLabel('Price', { exact: true }).fill('abc')
    await page.locator('.preview-pane h1').waitFor()
    deepEqual(await accessibilityViolations(page, 'editor'), [])
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
  await page.getByRole('textbox', { name: 'Title' }).fill('Euler')
  await freeText(page).fill('For $5: $e^{i\\pi} = -1$')
  const preview = page.locator('.preview-pane').first()
  await preview.getByText('$e^{i').waitFor()
  await page.getByRole('checkbox', { name: 'Formulas' }).check()
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
