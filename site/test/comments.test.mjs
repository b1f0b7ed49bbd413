// Comments on the page of a post: their Markdown and their order.
import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { nanoAddress, publish, register, signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(async (opened) => {
  const ada = await register(opened, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await ada.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  const postId = await publish(ada, { title: 'On fog', freeContentMarkdown: 'Fog.', category: 'culture' })
  return { ada, postId }
})

const markdown = [
  'Dear *Ada*, @ada_marlow: **three** things about `fog`',
  '',
  '- it rises, see https://fog.example/a_b_c.',
  '- it [arrives](https://fog.example/b)',
  '  - slowly',
  '',
  '> There are three fogs.',
  'Only two, I think. <b>Not bold.</b>',
  '',
  '```',
  'if (fog) { wait() } // a line of code that is much longer than any window of a telephone is wide',
  '```',
].join('\n')

const comment = async (person, postId, content, more = {}) =>
  (
    await person.owner.addComment({
      params: { postId },
      idempotencyKey: randomUUID(),
      body: { content, ...more },
    })
  ).body.id

const orderOf = (page) =>
  page.locator('.comment-text').evaluateAll((found) => found.map((element) => element.textContent))

test('a comment in Markdown looks the same when it was just sent, to its writer later, and to a stranger without a script', async () => {
  const { ada, postId } = world.fixture
  const reader = await openPage(world)
  const { page } = reader
  await signIn(reader, world, ada)
  await page.goto(`${world.origin}/posts/${postId}`)
  await page.getByLabel('Your comment').fill(markdown)
  // Chosen from the list, so that it is a mention.
  await page.getByLabel('Your comment').press('Control+Home')
  await page.getByLabel('Your comment').pressSequentially('@ada')
  await page.getByRole('option', { name: 'Ada Marlow' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  const text = page.locator('.comment-text')
  await text.waitFor()
  const html = () => text.evaluate((element) => element.outerHTML)
  const sent = await html()
  deepEqual(
    await text.evaluate((element) =>
      [...new Set([...element.querySelectorAll('*')].map(({ localName }) => localName))].sort(),
    ),
    ['a', 'blockquote', 'code', 'em', 'li', 'p', 'pre', 'strong', 'ul'],
  )
  deepEqual(
    await text.locator('a').evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.rel])),
    [
      ['/@ada_marlow', ''],
      ['/@ada_marlow', ''],
      ['https://fog.example/a_b_c', 'nofollow ugc noopener noreferrer'],
      ['https://fog.example/b', 'nofollow ugc noopener noreferrer'],
    ],
  )
  await page.reload()
  await page.getByRole('button', { name: 'Reply' }).waitFor()
  equal(await html(), sent)
  deepEqual(await accessibilityViolations(page, 'comments'), [])
  equal(await overflowAt(page, 320), undefined)
  const stranger = await openPage(world, { javaScriptEnabled: false })
  await stranger.page.goto(`${world.origin}/posts/${postId}`)
  equal(await stranger.page.locator('.comment-text').evaluate((element) => element.outerHTML), sent)
  deepEqual(reader.complaints, [])
})

test('comments are sorted by the oldest, the newest or the most reactions, for strangers and for members', async () => {
  const { ada } = world.fixture
  const postId = await publish(ada, { title: 'On wind', freeContentMarkdown: 'Wind.', category: 'culture' })
  const one = await comment(ada, postId, 'one')
  const two = await comment(ada, postId, 'two')
  await comment(ada, postId, 'reply to one', { parentCommentId: one })
  await comment(ada, postId, 'three')
  await ada.owner.reactToComment({ params: { commentId: two }, body: { reaction: 'heart' } })
  const orders = {
    newest: ['three', 'two', 'one', 'reply to one'],
    popular: ['two', 'three', 'one', 'reply to one'],
    oldest: ['one', 'reply to one', 'two', 'three'],
  }
  const visitors = [await openPage(world), await openPage(world)]
  await signIn(visitors[1], world, ada)
  for (const { page, complaints } of visitors) {
    await page.goto(`${world.origin}/posts/${postId}`)
    deepEqual(await orderOf(page), orders.oldest)
    const select = page.getByLabel('Order of the comments')
    for (const [sort, order] of Object.entries(orders)) {
      await select.selectOption(sort)
      await page.waitForFunction((first) => document.querySelector('.comment-text')?.textContent === first, order[0])
      deepEqual(await orderOf(page), order)
    }
    equal(await select.inputValue(), 'oldest')
    equal(await overflowAt(page, 320), undefined)
    deepEqual(complaints, [])
  }
  // A new thread is where the order has it.
  const { page } = visitors[1]
  await page.getByLabel('Order of the comments').selectOption('newest')
  await page.waitForFunction(() => document.querySelector('.comment-text')?.textContent === 'three')
  await page.getByLabel('Your comment').fill('four')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.waitForFunction(() => document.querySelector('.comment-text')?.textContent === 'four')
  deepEqual(await orderOf(page), ['four', ...orders.newest])
})
