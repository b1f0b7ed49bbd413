// The editor says "Saved" only when it is true.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { nanoAddress, register, signIn } from './people.mjs'
import { openPage, until, useWorld } from './world.mjs'

const world = useWorld()

async function openEditor(handle) {
  const author = await register(world, { name: 'Ada', handle })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  const visitor = await openPage(world)
  await signIn(visitor, world, author)
  await visitor.page.goto(`${world.origin}/studio`)
  await visitor.page.getByRole('button', { name: 'Write a Post' }).click()
  await visitor.page.waitForURL(/\/studio\/posts\//)
  const postId = visitor.page.url().split('/').at(-1)
  const stored = async () => (await author.publisher.getPost({ params: { postId } })).body
  return { ...visitor, stored }
}

const state = (page, text) => page.locator('aside [role=status]').getByText(text, { exact: true })

test('a price that is none is said to be not saved; a comma is a decimal point', async () => {
  const { page, complaints, stored } = await openEditor('ada_prices')
  await page.getByLabel('Sell a part of it').check()
  const price = page.getByLabel('Price', { exact: true })
  for (const wrong of ['abc', '-1', '0', '1,2,3']) {
    await price.fill(wrong)
    await state(page, 'Not saved: the price must be an amount such as 0.25').waitFor()
    equal(await price.getAttribute('aria-invalid'), 'true', wrong)
  }
  await price.fill('0,50')
  await state(page, 'Saved').waitFor()
  equal((await stored()).priceAtomic, '500000000000000000000000000000')
  deepEqual(complaints, [])
})

test('a new draft has an empty title; an emptied title is saved as none', async () => {
  const { page, complaints, stored } = await openEditor('ada_titles')
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
  const { page, complaints, stored } = await openEditor('ada_undoes')
  await page.locator('[name=language]').selectOption({ label: 'Deutsch' })
  await until(async () => (await stored()).language === 'de')
  const text = page.getByLabel('Free for everybody').locator('textarea')
  await text.fill('Before.')
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a8501a' } })
    .png()
    .toBuffer()
  await page
    .getByLabel('Free for everybody')
    .locator('input[type=file]')
    .setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: bytes })
  await until(async () => /image:/.test(await text.inputValue()))
  await text.focus()
  await page.keyboard.press('Control+z')
  match(await text.inputValue(), /^(Before\.)?$/)
  deepEqual(complaints, [])
})
