import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeSocialLinks, publicationBlockers } from './profile-rules.ts'

const labelOf = (label: string, url = 'https://example.com/me') => normalizeSocialLinks([{ label, url }])[0]?.label

test('a label that says X or Twitter is X', () => {
  for (const label of ['X', 'x', 'Twitter', 'TWITTER', 'X / Twitter', 'Twitter (X)', '@twitter'])
    equal(labelOf(label), 'X', label)
  for (const label of ['Blog', 'Project X', 'Xing', 'My Twitter feed', 'Mastodon', 'X2', '×', '…'])
    equal(labelOf(label), 'Custom', label)
})

test('a link to x.com or twitter.com is X whatever its label says', () => {
  for (const host of [
    'x.com',
    'twitter.com',
    'www.x.com',
    'www.twitter.com',
    'mobile.twitter.com',
    'X.COM',
    'x.com:443',
  ])
    equal(labelOf('Me', `https://${host}/me`), 'X', host)
  for (const host of ['example.com', 'notx.com', 'x.com.example.com', 'ex.com', 'x.com@example.com', 'x.org'])
    equal(labelOf('Me', `https://${host}/x.com`), 'Custom', host)
})

test('the first of each category is kept', () => {
  const links = (...urls: string[]) => normalizeSocialLinks(urls.map((url) => ({ label: 'Me', url })))
  deepEqual(links('https://a.example', 'https://x.com/me'), [
    { label: 'Custom', url: 'https://a.example' },
    { label: 'X', url: 'https://x.com/me' },
  ])
  deepEqual(links('https://a.example', 'https://b.example'), [{ label: 'Custom', url: 'https://a.example' }])
  deepEqual(links('https://twitter.com/a', 'https://x.com/b'), [{ label: 'X', url: 'https://twitter.com/a' }])
  deepEqual(links(), [])
})

test('default name, generated handle and missing address each stand in the way', () => {
  const ready = { name: 'Ada', handle: 'ada_l', hasReceivingAddress: true }
  const blockers = (change: Partial<typeof ready>) =>
    publicationBlockers({ ...ready, ...change }).map(({ code, field }) => `${code} ${field}`)
  deepEqual(blockers({}), [])
  deepEqual(blockers({ name: 'New User' }), ['profile-incomplete name'])
  deepEqual(blockers({ handle: 'user_a1b2c3' }), ['profile-incomplete handle'])
  deepEqual(blockers({ hasReceivingAddress: false }), ['receiving-address-required receivingAddress'])
  equal(blockers({ name: 'New User', handle: 'user_a1b2c3', hasReceivingAddress: false }).length, 3)
})
