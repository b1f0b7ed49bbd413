import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getComment } from '@pennypost/contract/comments'
import { isMentionedIn } from '@pennypost/contract/mention'
import { suggestMentions, suggestMentionsPublicly } from '@pennypost/contract/mention-suggestions'
import { updateProfile } from '@pennypost/contract/profiles'
import { sharedWorld } from '../test/world.ts'
import { comments, discussionIn, says } from './discussion.fixture.ts'

test('suggestions match the start of a handle or of a word in a name, in any case, at both paths', async (t) => {
  const world = await sharedWorld(t)
  await world.reader({ handle: 'Ada_L', name: 'Augusta King' })
  await world.reader({ handle: 'babbage', name: 'Charles Adams-Babbage' })
  await world.reader({ handle: 'adding', name: 'Someone' })
  await world.reader({ handle: 'zoe_z', name: 'Zoë Ádám_x ΟΔΥΣΣΕΥΣ' })
  const stranger = world.stranger()
  const ask = async (query: object) => (await stranger.sends(suggestMentionsPublicly, { query })).body
  const handles = async (query: object) => (await ask(query)).items.map(({ handle }: { handle: string }) => handle)
  // Matches by handle come first, in order, then matches by name.
  deepEqual(await handles({ q: 'ad' }), ['Ada_L', 'adding', 'babbage'])
  deepEqual(await handles({ q: ' @ADA' }), ['Ada_L', 'babbage'])
  deepEqual(await handles({ q: 'ad', limit: '2' }), ['Ada_L', 'adding'])
  deepEqual(await handles({ q: 'king' }), ['Ada_L'])
  deepEqual(await handles({ q: 'ing' }), [])
  // No transliteration: accented letters are distinct letters, composed or decomposed.
  deepEqual(await handles({ q: 'zo' }), ['zoe_z'])
  deepEqual(await handles({ q: 'adam' }), ['babbage'])
  deepEqual(await handles({ q: 'a\u0301da\u0301m_' }), ['zoe_z'])
  deepEqual(await handles({ q: 'ÁDÁM' }), ['zoe_z'])
  deepEqual(await handles({ q: 'οδυσ' }), ['zoe_z'])
  // An underscore matches only an underscore; it is not a wildcard.
  deepEqual(await handles({ q: 'a_' }), [])
  deepEqual(await handles({ q: 'ada_l' }), ['Ada_L'])
  const { body } = await stranger.sends(suggestMentions, { query: { q: 'ada_l', mode: 'exact' } })
  deepEqual(body.items, [
    { id: body.items[0].id, handle: 'Ada_L', name: 'Augusta King', avatarUrl: null, authorKind: 'human' },
  ])
  deepEqual(await ask({ q: 'ada_l' }), body)
  deepEqual(await handles({ q: 'ada', mode: 'exact' }), [])
  for (const query of [
    {},
    { q: 'a' },
    { q: '@@ad' },
    { q: 'a b' },
    { q: 'a-b' },
    { q: 'x'.repeat(31) },
    { q: 'ad', mode: 'other' },
    { q: 'ad', limit: '0' },
    { q: 'ad', limit: '11' },
    { q: '', mode: 'exact' },
    { q: 'zoë', mode: 'exact' },
    { q: 'x'.repeat(31), mode: 'exact' },
  ])
    equal((await stranger.sends(suggestMentions, { query })).status, 400, JSON.stringify(query))
})

test('suggestions reflect a changed name or handle', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.creator({ handle: 'before_1', name: 'Former Name' })
  const found = async (q: string) =>
    (await world.stranger().calls(suggestMentions, { query: { q } })).body.items.length as number
  equal(await found('former'), 1)
  await ada.publisher.calls(updateProfile, { body: { name: 'Latter', handle: 'after_1' } })
  deepEqual([await found('former'), await found('before'), await found('latter'), await found('after_')], [0, 0, 1, 1])
})

test('a binding keeps its handle and is shown with the current name of the person', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const other = await world.creator({ handle: `Other_${randomUUID().slice(0, 6)}` })
  const handle = other.handle.toLowerCase()
  const mention = (profileId: string, name: string) => ({ profileId, handle: name })
  const saved = await comments(reader, postId, `hi @${handle.toUpperCase()},\r\nand @${author.handle}\rbye`, {
    mentions: [
      mention(other.accountId.toUpperCase(), other.handle),
      mention(author.accountId, author.handle),
      mention(other.accountId, handle.toUpperCase()),
    ],
  })
  equal(saved.content, `hi @${handle.toUpperCase()},\nand @${author.handle}\nbye`)
  deepEqual(saved.mentions, [mention(other.accountId, handle), mention(author.accountId, author.handle.toLowerCase())])
  deepEqual(saved.mentionProfiles[0], {
    profileId: other.accountId,
    currentHandle: other.handle,
    name: saved.mentionProfiles[0].name,
    avatarUrl: null,
  })
  await other.publisher.calls(updateProfile, { body: { handle: 'renamed_now', name: 'Renamed' } })
  const { body } = await reader.owner.calls(getComment, { params: { commentId: saved.id } })
  deepEqual(body.mentions, saved.mentions)
  deepEqual([body.mentionProfiles[0].currentHandle, body.mentionProfiles[0].name], ['renamed_now', 'Renamed'])
})

test('invalid bindings are refused: too many, conflicting, not in the content, unknown', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const others = []
  for (let count = 0; count < 5; count += 1) others.push(await world.reader())
  const bind = (person: { accountId: string; handle: string }, handle = person.handle) => ({
    profileId: person.accountId,
    handle,
  })
  const people = [author, ...others]
  const content = people.map(({ handle }) => `@${handle}`).join(' ')
  const five = people.slice(0, 5).map((person) => bind(person))
  equal((await says(reader, postId, { content, mentions: [...five, ...five, ...five, ...five] })).status, 201)
  const refusals: [string, unknown, string][] = [
    ['21 raw entries', [...five, ...five, ...five, ...five, five[0]], content],
    ['six people', people.map((person) => bind(person)), content],
    ['one person under two handles', [bind(author), bind(author, others[0]!.handle)], content],
    ['one handle for two people', [bind(author), bind(others[0]!, author.handle)], content],
    ['not in the content', [bind(author)], 'nobody here'],
    ['inside a word', [bind(author)], `x@${author.handle}`],
    ['with more behind', [bind(author)], `@${author.handle}x`],
    ['another handle than they have', [bind(author, 'somebody_else')], '@somebody_else'],
    ['unknown', [{ profileId: randomUUID(), handle: author.handle }], content],
    ['an unknown field', [{ ...bind(author), name: 'x' }], content],
    ['no list', bind(author), content],
  ]
  for (const [what, mentions, text] of refusals) {
    const { status, body } = await says(reader, postId, { content: text, mentions })
    equal(status, 422, what)
    ok(body.errors[0].field.startsWith('mentions'), what)
  }
  // The error does not say whose handle is outdated.
  const stale = await says(reader, postId, { content, mentions: [bind(others[0]!), bind(author, others[1]!.handle)] })
  equal(stale.status, 422)
  ok(!JSON.stringify(stale.body).includes(author.handle) && !JSON.stringify(stale.body).includes(author.accountId))
})

test('@handle counts as a mention only as a separate word', () => {
  for (const text of ['@ada_l', '(@ADA_L)', 'hi @ada_l.', '@ada_l\nx', '“@ada_l”', 'x,@ada_l-y'])
    ok(isMentionedIn(text, 'ada_l'), text)
  for (const text of [
    'ada_l',
    'x@ada_l',
    '@ada_lx',
    '@ada_l2',
    '@@ada_l',
    'é@ada_l',
    '@ada_lé',
    'https://x.org/@ada_l',
    'https://x.org/?by=@ada_l',
    'HTTPS://x.org/a-@ada_l',
    'see www.x.org/?by=@ada_l&x',
    'matrix+x://room/?@ada_l',
    'mailto:?to=@ada_l',
    '@ada_l@host.example',
  ])
    ok(!isMentionedIn(text, 'ada_l'), text)
  for (const text of ['https://x.org/ @ada_l', '<https://x.org/>@ada_l', 'note: @ada_l'])
    ok(isMentionedIn(text, 'ada_l'), text)
  // The Kelvin sign does not match k, and the long s does not match s.
  ok(isMentionedIn('@KIS', 'kis'))
  ok(isMentionedIn('@kis', 'KIS'))
  for (const text of ['@\u212ais', '@ki\u017f']) ok(!isMentionedIn(text, 'kis'), text)
})
