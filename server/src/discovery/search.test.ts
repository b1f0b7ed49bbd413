import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { updatePost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import { freeAgain as free, payable } from '../posts/posts.fixture.ts'
import { authorIn, publishes } from './published.fixture.ts'
import { search } from './search.fixture.ts'

test('title over description over creator over text, paid text too', async (t) => {
  const { world, author, reader } = await authorIn(t)
  // The best hit is the oldest: by score alone they would come in the opposite order.
  await publishes(author, { title: 'A zeppelin in the title' })
  await publishes(author, { title: 'In the description', description: 'On a zeppelin.' })
  const zeppelin = await payable(await world.creator({ name: 'Count Zeppelin', handle: 'the_count' }))
  await publishes(zeppelin, { title: 'By the creator' })
  await publishes(author, { title: 'In the free text', freeContentMarkdown: 'a **zeppelin** flies' })
  await publishes(author, { title: 'In the paid text', paidContentMarkdown: 'a zeppelin flies' })
  await publishes(author, { title: 'Nothing of it' })
  const { found, total } = await search(reader, 'Zeppelin')
  deepEqual(found.slice(0, 3), ['A zeppelin in the title', 'In the description', 'By the creator'])
  deepEqual(found.slice(3).sort(), ['In the free text', 'In the paid text'])
  equal(total, 5)
  deepEqual((await search(reader, 'the_count'.replace('_', ' '))).found, ['By the creator'])
  // Across the tiers page by page: each once, in the same order.
  const paged = []
  for (let page = 1; page <= 3; page += 1)
    paged.push(...(await search(reader, 'zeppelin', { per_page: '2', page: `${page}` })).found)
  deepEqual(paged, found)
})

test('all words must be there, in whatever field; case and accents do not matter', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, {
    title: 'Café au lait',
    description: 'Über die Milch',
    freeContentMarkdown: 'Warm and sweet.',
  })
  await publishes(author, { title: 'Café', description: 'Black' })
  deepEqual((await search(reader, 'CAFE')).total, 2)
  deepEqual((await search(reader, 'café uber sweet')).found, ['Café au lait'])
  deepEqual((await search(reader, 'sweet   MILCH,')).found, ['Café au lait'])
  deepEqual((await search(reader, 'café absent')).found, [])
  // The last word may be the beginning of one; others are whole.
  deepEqual((await search(reader, 'café swe')).found, ['Café au lait'])
  deepEqual((await search(reader, 'caf sweet')).found, [])
  deepEqual((await search(reader, 'weet')).found, [])
  deepEqual((await search(reader, '!!! ...')).found, [])
})

test('words are found in their other forms, by the language of the post', async (t) => {
  const { author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const texts = [
    ['en-GB', 'She was connecting the engines'],
    ['de', 'Die Häuser am Fluß'],
    ['fr', 'Les journalistes publiaient'],
    ['es', 'Las canciones más bonitas'],
    ['ru', 'Новый рассказ о кораблях'],
    ['tlh', 'Engines in a language without grammar'],
  ] as const
  for (const [language, title] of texts) await publishes(author, { title, language, description: '' })
  const [english, german, french, spanish, russian, klingon] = texts.map(([, title]) => title)
  for (const [q, expected] of [
    ['connected engine', [english]],
    ['connection', [english]],
    ['CONNECTS', [english]],
    ['haus', [german]],
    ['hausern', [german]],
    ['Häusern', [german]],
    ['journaliste', [french]],
    ['publiait', [french]],
    ['cancion', [spanish]],
    ['canción bonita', [spanish]],
    ['новая', [russian]],
    ['корабль', [russian]],
    ['рассказы', [russian]],
    // By itself: others are not stemmed.
    ['engines', [klingon, english]],
    ['was', [english]],
  ] as const)
    deepEqual((await search(reader, q)).found.toSorted(), [...expected].toSorted(), q)
  // The rules of one language are not those of another: "porter" is a form of "port" in French alone.
  await publishes(author, { title: 'The port', language: 'en', description: '' })
  await publishes(author, { title: 'On porte', language: 'fr', description: '' })
  deepEqual((await search(reader, 'porter')).found, ['On porte'])
  // The first post of a language is found at once.
  deepEqual((await search(reader, 'gatto')).found, [])
  await publishes(author, { title: 'I gatti', language: 'it', description: '' })
  deepEqual((await search(reader, 'gatto')).found, ['I gatti'])
})

test('forms of words rank as the words do, in every order and in literal queries', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  await publishes(author, { title: 'In the text', freeContentMarkdown: 'the engine/room of engines' })
  await world.advance(60)
  await publishes(author, { title: 'An engine in the title' })
  await world.advance(60)
  await publishes(author, { title: 'Behind the paywall', description: '', paidContentMarkdown: 'an engine' })
  const orders = [
    ['recommended', ['An engine in the title', 'Behind the paywall', 'In the text']],
    ['oldest', ['In the text', 'An engine in the title', 'Behind the paywall']],
    ['newest', ['Behind the paywall', 'An engine in the title', 'In the text']],
  ] as const
  for (const [sort, expected] of orders) deepEqual((await search(reader, 'engines', { sort })).found, expected, sort)
  equal((await search(reader, 'engines')).total, 3)
  deepEqual((await search(reader, 'the engine/room of eng')).found, ['In the text'])
})

test('the beginning of a last word finds public text, and never paid text', async (t) => {
  // Names of their own: a random one could begin with "47".
  const names = { name: 'Ann Author', handle: 'ann_author' }
  const { world, author, reader } = await authorIn(t, names, { isolation: 'emptied' })
  const hidden = { title: 'Locked', description: '', freeContentMarkdown: 'Open.' }
  await publishes(author, { ...hidden, paidContentMarkdown: 'a zeppelin over Zanzibar, 4711s, code ８１５' })
  for (const q of ['zepp', 'zeppeli', 'zanz', 'over zanz', '47', '471', '4711', '815', '８１５'])
    deepEqual((await search(reader, q)).found, [], q)
  for (const q of ['zeppelin', 'zeppelins', 'zanzibar', '4711s'])
    deepEqual((await search(reader, q)).found, ['Locked'], q)
  // The same words in public text elsewhere do not open this one.
  const count = await payable(await world.creator({ name: 'Zeppelina Count', handle: 'zep_count' }))
  await publishes(count, { title: 'By name', description: '' })
  await publishes(author, { title: 'Zeppelins', description: '' })
  await publishes(author, { title: 'Text', description: '', freeContentMarkdown: 'one *zeppelin* more' })
  deepEqual((await search(reader, 'zepp')).found, ['Zeppelins', 'By name', 'Text'])
  deepEqual((await search(reader, 'zeppelin')).found.toSorted(), ['By name', 'Locked', 'Text', 'Zeppelins'])
  deepEqual((await search(reader, 'z')).found, [])
  // A withdrawn post's words complete nothing that is not there.
  deepEqual((await search(reader, 'zepp more')).found, [])
  deepEqual((await search(reader, 'more zepp')).found, ['Text'])
})

test('posts from before stems were stored are found by whole words, then indexed again by the job', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const { id } = await publishes(author, { title: 'The old engine', description: '' })
  const { pool } = world.services
  await pool.query(
    `UPDATE catalog SET is_stemmed = false,
       terms = ARRAY(SELECT term_hash(tier || ':engine') FROM unnest(ARRAY['title', 'described', 'credited', 'whole']) tier)
     WHERE post_id = $1`,
    [id],
  )
  deepEqual((await search(reader, 'engine')).found, ['The old engine'])
  deepEqual((await search(reader, 'engines')).found, [])
  await indexStalePosts.run(world.services, {})
  deepEqual((await search(reader, 'engines')).found, ['The old engine'])
})

test('texts without spaces between words are found by their parts', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, { title: '東京の天気', language: 'ja' })
  await publishes(author, { title: '京都の天気', language: 'ja' })
  deepEqual((await search(reader, '東京')).found, ['東京の天気'])
  equal((await search(reader, '天気')).total, 2)
  equal((await search(reader, '京')).total, 2)
  deepEqual((await search(reader, '天京')).found, [])
  // Letters that stand alone must be found too, and voiced kana and long marks belong to their words.
  deepEqual((await search(reader, '東 天')).found, ['東京の天気'])
  await publishes(author, { title: 'コーヒーが好き', language: 'ja' })
  await publishes(author, { title: 'ビール', language: 'ja' })
  deepEqual((await search(reader, 'コーヒー')).found, ['コーヒーが好き'])
  deepEqual((await search(reader, 'が好')).found, ['コーヒーが好き'])
})

test('a query with % _ / or a backslash is looked for as it stands, inside one field', async (t) => {
  const { author, reader } = await authorIn(t, { handle: 'plainhandle' }, { isolation: 'emptied' })
  await publishes(author, { title: 'Save 50% now', description: 'and/or later' })
  await publishes(author, { title: 'Save 500 now', description: 'and or later' })
  await publishes(author, { title: 'snake_case names', freeContentMarkdown: 'see `C:\\temp\\file` there' })
  await publishes(author, { title: 'snakeXcase names' })
  deepEqual((await search(reader, '%')).found, ['Save 50% now'])
  deepEqual((await search(reader, '50%')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'SAVE 50% N')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'now 50%')).found, [])
  deepEqual((await search(reader, '50% now and/or')).found, [])
  deepEqual((await search(reader, 'and/or')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'e_c')).found, ['snake_case names'])
  deepEqual((await search(reader, '_')).found, ['snake_case names'])
  deepEqual((await search(reader, 'c:\\TEMP')).found, ['snake_case names'])
  deepEqual((await search(reader, '\\')).found, ['snake_case names'])
  deepEqual((await search(reader, '%%')).found, [])
  deepEqual((await search(reader, '50%', { access: 'free' })).found, [])
  await publishes(author, { title: 'Later', description: 'and/or never' })
  deepEqual((await search(reader, 'and/or')).found, ['Later', 'Save 50% now'])
  deepEqual((await search(reader, 'and/or', { sort: 'oldest' })).found, ['Save 50% now', 'Later'])
  await publishes(author, { title: 'a™/b' })
  deepEqual((await search(reader, 'a™/b')).found, ['a™/b'])
  deepEqual((await search(reader, '(^|/[.*')).found, [])
})

/** Every sign of ASCII that is neither letter, digit nor space. */
const punctuation = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (sign) => !/[a-z0-9]/i.test(sign),
)

test('every punctuation sign inside a literal query is only itself', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const query = (sign: string) => `left${sign}mid_dle${sign}right`
  for (const [index, sign] of punctuation.entries()) {
    const backticks = sign === '`' ? '``' : '`'
    const freeContentMarkdown = `${backticks} ${query(sign)} ${backticks}`
    await publishes(author, { title: `${index} ${query(sign)}`, description: '' })
    await publishes(author, { title: `${index} text`, description: '', freeContentMarkdown })
  }
  equal(punctuation.length, 32)
  for (const [index, sign] of punctuation.entries()) {
    const q = query(sign)
    deepEqual((await search(reader, q)).found, [`${index} ${q}`, `${index} text`], sign)
    for (const end of [`${sign}_`, `_${sign}`, `${sign}/${sign}`, `\\${sign}`]) await search(reader, end)
    const page = await world.server.inject({ url: '/', query: { q } })
    equal(page.statusCode, 200, sign)
    ok(page.body.includes(`${index} text`) && page.body.includes('mid_dle'), sign)
  }
})

test('paid text is searched, never shown, and cannot be spelled out', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, {
    title: 'Locked',
    description: '',
    freeContentMarkdown: 'Open.',
    paidContentMarkdown: 'The key is under_the_mat at 7/8 Elm Street, or /٣٤٥ or /क्षमा, code 4711, room b12',
  })
  for (const q of ['mat', 'elm street', 'STREET elm', 'क्षमा', 'b12']) {
    const { found, body } = await search(reader, q)
    deepEqual(found, ['Locked'], q)
    ok(!JSON.stringify(body).includes('Elm'), q)
  }
  // Beginnings and ends of words reveal nothing, nor do numbers, nor anything literal: that would tell what follows what.
  const literal = ['under_the_mat', '7/8', '7/8 elm', '/क्षमा', 'under_the_m', '7/8 E', '/٣']
  for (const q of [...literal, '4711', '٣٤٥', 'code 4711', 'ma', 'str', 'क'])
    deepEqual((await search(reader, q)).found, [], q)
  // In public text they are found.
  await publishes(author, { title: 'Open 4711', description: 'under_the_mat' })
  for (const q of ['4711', 'under_the_mat']) deepEqual((await search(reader, q)).found, ['Open 4711'], q)
})

test('an author can take the paid text of a post out of the search', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author, {
    title: 'Quiet',
    paidContentMarkdown: 'a xylophone plays',
    searchPaidContent: false,
  })
  equal(post.searchPaidContent, false)
  deepEqual((await search(reader, 'xylophone')).found, [])
  const patch = (searchPaidContent: boolean, revision: string) =>
    author.publisher.calls(updatePost, {
      params: { postId: post.id },
      headers: { 'x-post-revision': revision },
      body: { searchPaidContent },
    })
  const shown = await patch(true, post.updatedAt)
  deepEqual([shown.status, shown.body.searchPaidContent], [200, true])
  deepEqual((await search(reader, 'xylophone')).found, ['Quiet'])
  equal((await patch(false, shown.body.updatedAt)).status, 200)
  deepEqual((await search(reader, 'xylophone')).found, [])
})

test('searches are limited by address, on the site too; browsing is not', async (t) => {
  const { world } = await authorIn(t)
  const reader = world.stranger()
  for (let count = 0; count < 239; count += 1) equal((await search(reader, `word${count}`)).total, 0)
  const page = () => world.server.inject({ url: '/', query: { q: 'word' }, remoteAddress: reader.address })
  equal((await page()).statusCode, 200)
  const refused = await reader.calls(listPublicPosts, { query: { q: 'word' } })
  deepEqual([refused.status, refused.body.data.code], [429, 'rate_limited'])
  ok(Number(refused.headers.get('retry-after')) > 0)
  equal((await page()).statusCode, 429)
  equal((await reader.calls(listPublicPosts, { query: {} })).status, 200)
  await world.advance(61)
  equal((await search(reader, 'word')).total, 0)
})

test('letters of a paid text without spaces are not told one by one', async (t) => {
  const { author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  await publishes(author, {
    title: 'Locked',
    description: '',
    freeContentMarkdown: '無料',
    paidContentMarkdown: '秘密の鍵 箱 と a/秘/b そして x/密の/y',
  })
  for (const q of ['秘密', '密の', '秘密の鍵', '無', '料', '無料'])
    deepEqual((await search(reader, q)).found, ['Locked'], q)
  for (const q of ['秘', '密', 'の', '鍵', '箱', '秘 密', '/密', 'a/秘/b', 'x/密の/y'])
    deepEqual((await search(reader, q)).found, [], q)
})

test('a text as long as a Post may have is found by its last words too', async (t) => {
  const { author, reader } = await authorIn(t)
  const word = (index: number) => `w${index.toString(36).padStart(4, '0')}`
  const text = (from: number) => Array.from({ length: 31_600 }, (_, index) => word(from + index)).join(' ')
  equal(text(0).length, 189_599)
  await publishes(author, { title: 'Long', freeContentMarkdown: text(0), paidContentMarkdown: text(31_600) })
  for (const index of [0, 9_999, 10_001, 31_599, 31_600, 50_000, 63_199])
    deepEqual((await search(reader, word(index))).found, ['Long'], `${index}`)
  deepEqual((await search(reader, word(63_200))).found, [])
})

test('a search obeys filters and orders', async (t) => {
  const { world, author, reader } = await authorIn(t)
  for (const [title, input] of [
    ['Bread one', { priceAtomic: `3${'0'.repeat(28)}` }],
    ['Bread two', free],
    ['Bread three', { priceAtomic: `1${'0'.repeat(28)}`, category: 'health' }],
  ] as const) {
    await publishes(author, { title, ...input })
    await world.advance(60)
  }
  await publishes(author, { title: 'No loaf' })
  const order = async (query: object) =>
    (await search(reader, 'bread', query)).found.map((title) => title.split(' ')[1])
  deepEqual(await order({ sort: 'newest' }), ['three', 'two', 'one'])
  deepEqual(await order({ sort: 'oldest' }), ['one', 'two', 'three'])
  deepEqual(await order({ sort: 'price_asc' }), ['two', 'three', 'one'])
  deepEqual(await order({ sort: 'price_desc' }), ['one', 'three', 'two'])
  deepEqual(await order({ access: 'paid', sort: 'oldest' }), ['one', 'three'])
  deepEqual(await order({ category: 'health' }), ['three'])
  deepEqual(await order({ max_price_raw: `1${'0'.repeat(28)}`, sort: 'oldest' }), ['two', 'three'])
  equal((await search(reader, 'bread', { access: 'paid' })).total, 2)
})

test('an edit is found at once, a renamed creator soon', async (t) => {
  const { world, author, reader } = await authorIn(t, { name: 'Ada Old' })
  const post = await publishes(author, { title: 'Before' })
  equal((await search(reader, 'before')).total, 1)
  await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: 'Afterwards' },
  })
  equal((await search(reader, 'before')).total, 0)
  equal((await search(reader, 'afterwards ada old')).total, 1)
  await author.publisher.calls(updateProfile, { body: { name: 'Ada Fresh' } })
  await world.runJobs()
  equal((await search(reader, 'ada fresh')).total, 1)
  equal((await search(reader, 'ada old')).total, 0)
})
