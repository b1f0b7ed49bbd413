import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { declareAgent, getProfile, removeHeaderImage } from '@pennypost/contract/profiles'
import { sharedWorld } from '../test/world.ts'
import { patch, read, refused } from './patch-profile.fixture.ts'

test('a profile that was never changed reads with its defaults', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, accountId } = await world.creator({ name: 'Ada', handle: 'Ada_L' })
  deepEqual(await read(publisher), {
    id: accountId,
    name: 'Ada',
    handle: 'Ada_L',
    bio: null,
    location: null,
    socialLinks: [],
    pinnedPostId: null,
    avatarUrl: null,
    headerImageUrl: null,
    authorKind: 'human',
    tipping: { buttonLabel: 'Tip author', amounts: [0.25, 0.5, 1] },
  })
})

test('profiles belong to Publishing keys: neither an owner session nor nobody reads or changes one', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.creator()
  for (const person of [owner, world.stranger()]) {
    equal((await person.calls(getProfile, {})).status, 401)
    equal((await patch(person, { name: 'Mallory' })).status, 401)
    equal((await person.calls(removeHeaderImage, {})).status, 401)
    equal((await person.calls(declareAgent, {})).status, 401)
  }
})

test('what is sent is changed and answered, what is left out stays', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator({ name: 'Ada' })
  const changed = {
    name: 'Ada Lovelace',
    handle: 'Countess_1815',
    bio: 'Notes on the engine.',
    location: 'London',
    socialLinks: [{ label: 'X', url: 'https://x.com/ada' }],
    tipping: { buttonLabel: 'Buy me tea', amounts: [0.001, 0.5, 2.000001] },
  }
  const reply = await patch(publisher, changed)
  equal(reply.status, 200)
  deepEqual({ ...reply.body, ...changed }, reply.body)
  const { body } = await patch(publisher, { location: 'Surrey' })
  deepEqual(body, { ...reply.body, location: 'Surrey' })
  deepEqual((await patch(publisher, { name: 'A. L.' })).body, { ...body, name: 'A. L.' })
  deepEqual(await read(publisher), { ...body, name: 'A. L.' })
})

test('an empty patch, a patch that is no object and unknown fields are refused', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  await refused(publisher, {}, '')
  await refused(publisher, [], '')
  for (const field of ['id', 'profileId', 'authorKind', 'avatarUrl', 'headerImageUrl', 'isAdmin', 'email'])
    await refused(publisher, { name: 'Ada', [field]: 'agent' }, field, 'unknown')
})

test('null clears bio, location and the pin', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  await patch(publisher, { bio: 'Something', location: 'Somewhere' })
  const { status, body } = await patch(publisher, { bio: null, location: null, pinnedPostId: null })
  equal(status, 200)
  deepEqual([body.bio, body.location, body.pinnedPostId], [null, null, null])
})

test('null clears nothing else', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  for (const field of ['name', 'handle', 'socialLinks', 'tipping'])
    await refused(publisher, { bio: 'kept out', [field]: null }, field)
})

test('bio and location are trimmed, and white space alone is none', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { body } = await patch(publisher, { bio: '  two\nlines \n', location: '\tHere ' })
  deepEqual([body.bio, body.location], ['two\nlines', 'Here'])
  const cleared = await patch(publisher, { bio: ' \n ', location: '' })
  deepEqual([cleared.body.bio, cleared.body.location], [null, null])
})

test('lengths are Unicode code points after trimming', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const rose = '🌹'
  for (const [field, most] of [
    ['name', 50],
    ['bio', 250],
    ['location', 80],
  ] as const) {
    equal((await patch(publisher, { [field]: ` ${rose.repeat(most)} ` })).body[field], rose.repeat(most))
    await refused(publisher, { [field]: rose.repeat(most + 1) }, field, 'too_long')
  }
  await refused(publisher, { name: '   ' }, 'name', 'required')
})

test('the default name is reserved in any case and with any white space', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  for (const name of ['New User', ' new user ', 'NEW\tUSER', 'New  User', 'new\u00a0user'])
    await refused(publisher, { name }, 'name', 'reserved')
  equal((await patch(publisher, { name: 'New Users' })).status, 200)
})

test('social links become X or Custom, and the first of each is kept', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const links = async (...socialLinks: [string, string][]) =>
    (await patch(publisher, { socialLinks: socialLinks.map(([label, url]) => ({ label, url })) })).body.socialLinks
  deepEqual(await links([' Blog ', ' https://ada.example/blog '], ['Me', 'https://www.x.com/ada']), [
    { label: 'Custom', url: 'https://ada.example/blog' },
    { label: 'X', url: 'https://www.x.com/ada' },
  ])
  deepEqual(await links(['twitter', 'https://ada.example'], ['X', 'https://x.com/ada']), [
    { label: 'X', url: 'https://ada.example' },
  ])
  deepEqual(await links(['One', 'http://one.example'], ['Two', 'http://two.example']), [
    { label: 'Custom', url: 'http://one.example' },
  ])
  deepEqual(await links(), [])
})

test('a social link has a label of 1 to 40 characters and an absolute http or https address', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const url = 'https://ada.example'
  const wrongUrls = [
    '',
    'ada.example',
    '/ada',
    '//ada.example',
    'ftp://ada.example',
    'javascript:alert(1)',
    'https:ada',
  ]
  wrongUrls.push('https://', 'https://ada.example/a b', 'java\nscript:alert(1)', 'https://a.example/\u0001x', 'data:,x')
  for (const wrong of wrongUrls)
    await refused(publisher, { socialLinks: [{ label: 'Me', url: wrong }] }, 'socialLinks.0.url')
  await refused(publisher, { socialLinks: [{ label: ' ', url }] }, 'socialLinks.0.label')
  await refused(publisher, { socialLinks: [{ label: 'x'.repeat(41), url }] }, 'socialLinks.0.label', 'too_long')
  await refused(publisher, { socialLinks: [{ url }] }, 'socialLinks.0.label')
  await refused(publisher, { socialLinks: [{ label: 'Me', url, icon: 'x' }] }, 'socialLinks.0.icon', 'unknown')
  await refused(publisher, { socialLinks: ['a', 'b', 'c'].map((label) => ({ label, url })) }, 'socialLinks', 'too_long')
  await refused(publisher, { socialLinks: { label: 'Me', url } }, 'socialLinks')
})

test('tipping needs both its parts, a label of 1 to 40 characters and three amounts that rise', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const amounts = [0.25, 0.5, 1]
  const buttonLabel = 'Tip me'
  await refused(publisher, { tipping: { buttonLabel } }, 'tipping.amounts', 'required')
  await refused(publisher, { tipping: { amounts } }, 'tipping.buttonLabel', 'required')
  await refused(publisher, { tipping: {} }, 'tipping.buttonLabel')
  await refused(publisher, { tipping: { buttonLabel, amounts, currency: 'XNO' } }, 'tipping.currency', 'unknown')
  await refused(publisher, { tipping: { buttonLabel: '  ', amounts } }, 'tipping.buttonLabel')
  await refused(publisher, { tipping: { buttonLabel: 'x'.repeat(41), amounts } }, 'tipping.buttonLabel', 'too_long')
  for (const wrong of [[], [1, 2], [1, 2, 3, 4], [1, 1, 2], [1, 3, 2], [3, 2, 1]])
    await refused(publisher, { tipping: { buttonLabel, amounts: wrong } }, 'tipping.amounts')
  for (const wrong of [0, -1, 0.0009, 0.0010001, 0.1 + 0.2, '0.5', null, 1e30])
    await refused(publisher, { tipping: { buttonLabel, amounts: [wrong, 5, 6] } }, 'tipping.amounts.0')
  for (const good of [
    [0.001, 0.002, 0.003],
    [0.1, 0.100001, 0.100002],
    [1, 10, 2_000_000],
  ])
    deepEqual((await patch(publisher, { tipping: { buttonLabel: ' Tip ', amounts: good } })).body.tipping, {
      buttonLabel: 'Tip',
      amounts: good,
    })
})

test('a pin must be a published Post of one’s own', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  await refused(publisher, { pinnedPostId: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' }, 'pinnedPostId', 'not_published')
  await refused(publisher, { pinnedPostId: 'first-post' }, 'pinnedPostId')
})

test('a profile is changed by its own keys only', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.creator()
  const eve = await world.creator()
  const before = await read(ada.publisher)
  await patch(eve.publisher, { bio: 'Eve was here' })
  await eve.publisher.calls(declareAgent, {})
  deepEqual(await read(ada.publisher), before)
})

test('changes of one profile at the same time are all kept', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const change = { name: 'Ada', bio: 'Bio', location: 'London', handle: 'all_kept' }
  const replies = await Promise.all(
    Object.entries(change).map(([field, value]) => patch(publisher, { [field]: value })),
  )
  deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const saved = await read(publisher)
  deepEqual({ ...saved, ...change }, saved)
})

test('removing the header image answers null, and again', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, accountId } = await world.creator()
  const remove = async () => {
    const { status, body } = await publisher.calls(removeHeaderImage, {})
    deepEqual([status, body], [200, { headerImageUrl: null }])
  }
  await remove()
  const saved = { account_id: accountId, header_image_url: '/media/1.png', avatar_url: '/media/2.png' }
  await world.services.db.insertInto('profiles').values(saved).execute()
  equal((await read(publisher)).headerImageUrl, `${world.origin}/media/1.png`)
  await remove()
  await remove()
  deepEqual(
    [(await read(publisher)).headerImageUrl, (await read(publisher)).avatarUrl],
    [null, `${world.origin}/media/2.png`],
  )
})

test('an account declares itself an agent, again if it likes, and cannot take it back', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await publisher.calls(declareAgent, {})
    deepEqual([status, body], [200, { authorKind: 'agent' }])
  }
  equal((await read(publisher)).authorKind, 'agent')
  await refused(publisher, { authorKind: 'human' }, 'authorKind', 'unknown')
})
