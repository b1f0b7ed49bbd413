import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicPostColumns, publicPostJoins } from '../server/dist/posts/catalog/public-post.js'
import { popularityOf, recommendedScore } from '../server/dist/posts/catalog/ranking.js'
import { facetTerm, termHash } from '../server/dist/posts/catalog/search-terms.js'
import { stemmerOf } from '../server/dist/posts/catalog/stemming.js'
import { rendererVersion } from '../server/dist/posts/markdown/renderer-version.js'
import { inParallel } from './in-parallel.mjs'
import { withClient, withPool } from './postgres.mjs'

// A catalog of posts by many creators: word frequencies as in real texts (Zipf), three years of publications, most of
// them read by few. It is loaded with SQL, in the same form as the service would write it: rows first and indexes afterwards, on two
// connections. Each post has its own title and description, and one of a few thousand bodies: making a million would take
// longer than loading them.

const vocabulary = 60_000
const bodies = 5_000
const chunk = 5_000
const categories =
  'technology science business finance politics culture arts fiction education health sports lifestyle gaming other'.split(
    ' ',
  )
const languages = [...Array(12).fill('en'), 'de', 'de', 'fr', 'es', 'en-US', 'en-GB', 'ja', 'pt-BR']
const tiers = ['title', 'described', 'credited', 'whole', 'paid']

/** The word with this rank of frequency. The rarest occur in a handful of posts. */
export const wordNumber = (rank) => {
  const syllables = [
    'ka',
    'lo',
    'mi',
    'ren',
    'tu',
    'vas',
    'shi',
    'pol',
    'da',
    'ne',
    'gor',
    'be',
    'fin',
    'ze',
    'hul',
    'wy',
  ]
  let text = ''
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16]
  return text
}

/** Returns how many seconds it took; undefined if the posts were there. */
export async function loadLibrary(databaseUrl, posts) {
  const { rows } = await withClient(databaseUrl, (client) => client.query('SELECT count(*)::int AS held FROM catalog'))
  if (rows[0].held >= posts) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-library-'))
  chmodSync(folder, 0o711) // the database reads the files, as another account
  try {
    return await withPool(databaseUrl, { max: connections + 1, settings }, (pool) => load(pool, folder, posts))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const connections = 2
// Commits wait for the disk, as there are few: a vacuum would not mark pages of rows that may not be there yet.
const settings = {
  // The triggers keep counts for one post at a time; here the counts are written once, at the end.
  session_replication_role: 'replica',
  maintenance_work_mem: '1GB',
  work_mem: '256MB',
}

async function load(pool, folder, posts) {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const report = (what) => console.log(`  ${seconds().toFixed(0)} s: ${what}`)
  const runAll = (statements) => inParallel(connections, statements, (statement) => pool.query(statement))
  const creators = await addCreators(pool, Math.max(20, Math.min(20_000, Math.floor(posts / 5))))
  const indexes = await dropIndexes(pool)
  await stemWords(pool)
  const starts = Array.from({ length: Math.ceil(posts / chunk) }, (_, number) => number * chunk)
  const addAllPosts = inParallel(connections, starts, async (from) => {
    const to = Math.min(posts, from + chunk)
    await addPosts({ pool, folder, creators }, from, to, posts)
    if (to % 100_000 === 0) report(`${to} posts`)
  })
  await Promise.all([addSearchWords(pool), addAllPosts])
  report('posts')
  // The planner would read all tags for each card. It needs nothing about texts, which take seconds to read.
  await pool.query('ANALYZE posts (id, account_id), post_tags, tags, accounts, receiving_addresses')
  await runAll([
    ...indexes.filter(isLong),
    `INSERT INTO catalog_cards (post_id, card, words)
     SELECT shown.id, row_to_json(shown), 200 FROM (SELECT ${publicPostColumns} FROM posts post ${publicPostJoins}) shown`,
    `INSERT INTO catalog_counts SELECT facet, 0, count(*) FROM catalog, unnest(catalog_facets(catalog)) facet GROUP BY facet`,
    `INSERT INTO catalog_counts VALUES ('content', 0, 1), ('version', 0, 1)`,
    ...indexes.filter((statement) => !isLong(statement)),
    ...tables.map(vacuum),
  ])
  report('indexes and cards')
  await runAll(lastTables.map(vacuum))
  report('done')
  return seconds()
}

/** Those of terms and trigrams take as long as everything else together. */
const isLong = (statement) => statement.includes(' USING gin ')

const vacuum = (table) => `VACUUM ANALYZE ${table}`

// Vacuumed while the longest index is built, which uses one core most of the time.
const tables = [
  'posts',
  'catalog',
  'post_figures',
  'post_slugs',
  'post_tags',
  'tags',
  'accounts',
  'receiving_addresses',
  'search_words',
]
// The first waits for its index. To a transaction as old as that index, cards would be new, and a vacuum would not mark their pages.
const lastTables = ['search_terms', 'catalog_cards']

async function addCreators(pool, count) {
  const creators = Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    handle: `creator_${index}`,
    tagId: randomUUID(),
  }))
  const ids = creators.map(({ id }) => id)
  await pool.query(
    `INSERT INTO accounts (id, name, handle, author_kind, has_published, created_at)
     SELECT id, initcap(word) || ' ' || place, 'creator_' || place - 1, CASE WHEN place % 10 = 0 THEN 'agent' ELSE 'human' END, true, now()
     FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS creator (id, word, place)`,
    [ids, creators.map((_, index) => wordNumber(index + vocabulary))],
  )
  await pool.query(
    `INSERT INTO receiving_addresses SELECT id, 'nano', 'nano_' || id, now() FROM unnest($1::uuid[]) id`,
    [ids],
  )
  await pool.query(
    `INSERT INTO receiving_addresses SELECT id, 'base', '0x' || id, now() FROM unnest($1::uuid[]) WITH ORDINALITY AS creator (id, place) WHERE place % 2 = 0`,
    [ids],
  )
  await pool.query(
    `INSERT INTO tags SELECT tag_id, id, 'Notes', 'notes', now() FROM unnest($1::uuid[], $2::uuid[]) AS creator (id, tag_id)`,
    [ids, creators.map(({ tagId }) => tagId)],
  )
  return creators
}

const stemmers = [...new Set(languages.map((language) => stemmerOf(language)))]
const wholeVocabulary = () => Array.from({ length: vocabulary }, (_, number) => wordText(number))

/** Stems the vocabulary in each language. */
async function stemWords(pool) {
  for (const stemmer of stemmers.filter((each) => each !== undefined)) {
    const { rows } = await pool.query(
      `SELECT coalesce((ts_lexize($1::regdictionary, word))[1], word) AS stem
       FROM unnest($2::text[]) WITH ORDINALITY AS listed(word, place) ORDER BY place`,
      [`${stemmer}_stem`, wholeVocabulary()],
    )
    stems.set(
      stemmer,
      rows.map(({ stem }) => stem),
    )
  }
}

/** Stores the words that searches are completed with, one language after the other. */
async function addSearchWords(pool) {
  for (const stemmer of stemmers)
    await pool.query(
      'INSERT INTO search_words SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
      [wholeVocabulary(), Array.from({ length: vocabulary }, (_, number) => keyOf(number, stemmer))],
    )
}

/** Drops the indexes, because building them at the end is faster. Returns the statements that create them. */
async function dropIndexes(pool) {
  const { rows } = await pool.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
       AND tablename IN ('catalog', 'search_terms', 'posts', 'post_slugs', 'post_tags', 'catalog_cards') AND indexname NOT LIKE '%_pkey'`,
  )
  for (const { indexname } of rows) await pool.query(`DROP INDEX ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}

const draws = zipfDraws(1 << 22)
let drawn = 0
const draw = () => {
  drawn = (drawn + 1) % draws.length
  return draws[drawn]
}
const words = (count) => Array.from({ length: count }, draw)
const text = (numbers) => numbers.map(wordText).join(' ')
const texts = []
const wordText = (number) => (texts[number] ??= wordNumber(number))
/** The stems of words by their number, for each stemmer. */
const stems = new Map()
const keyOf = (number, stemmer) => {
  const stem = stems.get(stemmer)?.[number]
  return stem === undefined ? wordText(number) : `${stemmer}~${stem}`
}
const hashes = new Map()
const wordHash = (tier, number, stemmer) => {
  const name = `${tiers[tier]} ${stemmer}`
  const known = hashes.get(name) ?? hashes.set(name, []).get(name)
  known[number] ??= BigInt(termHash(`${tiers[tier]}:${keyOf(number, stemmer)}`))
  return known[number]
}
const facetHashes = new Map()
const facetHash = (facet) => facetHashes.get(facet) ?? facetHashes.set(facet, BigInt(facetTerm(facet))).get(facet)
const pick = (list) => list[Math.floor(Math.random() * list.length)]

async function addPosts({ pool, folder, creators }, from, to, total) {
  const lines = Object.fromEntries(Object.keys(columnsOf).map((name) => [name, []]))
  const terms = []
  const days = 3 * 365
  const now = Date.now()
  for (let number = from; number < to; number += 1) {
    const publishedAt = new Date(now - ((total - number) / total) * days * 86_400_000)
    const cells = onePost(pick(creators), publishedAt, number)
    for (const name in lines) lines[name].push(cells[name].join('\t'))
    terms.push(cells.terms)
  }
  const write = (name, content) => {
    const path = join(folder, `${name}-${from}`)
    writeFileSync(path, content, { mode: 0o644 })
    return path
  }
  const paths = Object.keys(lines).map((name) => [columnsOf[name], write(name, `${lines[name].join('\n')}\n`)])
  paths.push(['search_terms (post_id, terms)', write('terms', binaryCopy(terms)), 'WITH (FORMAT binary)'])
  // As one statement: the next posts are made meanwhile.
  await pool.query(paths.map(([into, path, how = '']) => `COPY ${into} FROM '${path}' ${how}`).join(';'))
  for (const [, path] of paths) rmSync(path)
}

const binaryCopy = (rows) => Buffer.concat([binaryStart, ...rows, Buffer.from([0xff, 0xff])])
const binaryStart = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const int8Type = 20
const [rowStart, termBytes] = [46, 12]

/**
 * A row of `search_terms` as binary COPY has it: as text, its three hundred numbers take almost twice the bytes, which we would
 * have to write and PostgreSQL to parse. `more` are the bytes of further terms.
 */
function binaryTerms(id, terms, more) {
  const row = Buffer.allocUnsafe(rowStart + terms.length * termBytes + more.length)
  row.writeInt16BE(2, 0) // columns
  row.writeInt32BE(16, 2)
  row.write(id.replaceAll('-', ''), 6, 'hex')
  row.writeInt32BE(row.length - 26, 22)
  row.writeInt32BE(1, 26) // dimensions
  row.writeInt32BE(0, 30) // nulls
  row.writeInt32BE(int8Type, 34)
  row.writeInt32BE(terms.length + more.length / termBytes, 38)
  row.writeInt32BE(1, 42) // the first index
  writeTerms(row, rowStart, terms)
  more.copy(row, rowStart + terms.length * termBytes)
  return row
}

function writeTerms(bytes, start, terms) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, terms.length * termBytes)
  for (let index = 0; index < terms.length; index += 1) {
    view.setInt32(index * termBytes, 8)
    view.setBigInt64(index * termBytes + 4, terms[index])
  }
  return bytes
}

const columnsOf = {
  posts: `posts (id, account_id, status, slug, title, description, free_markdown, free_html, free_text, paid_text, paid_words, renderer_version,
    has_paywall, price_currency, price_atomic, category, language, creation_method, creation_attested, created_at, updated_us, published_at)`,
  catalog: `catalog (post_id, published_at, score, popularity, price_kind, price_atomic, is_agent, has_attachments, has_zip, receives_nano,
    receives_base, category, language, is_stemmed)`,
  post_figures: 'post_figures (post_id, sales_count, heart, reader_count)',
  post_slugs: 'post_slugs (account_id, slug, post_id, claimed_at)',
  post_tags: 'post_tags (post_id, tag_id)',
}

/** The free and the paid part of a post: their texts, and their terms for each stemmer. */
const drawnBodies = []
function bodyOf(number) {
  drawnBodies[number] ??= makeBody()
  return drawnBodies[number]
}

function makeBody() {
  const [free, paid] = [words(80), words(120)]
  const terms = new Map()
  return {
    free: text(free),
    paid: text(paid),
    termsFor(stemmer) {
      const known = terms.get(stemmer)
      if (known !== undefined) return known
      const all = [...termsOf(3, free, stemmer), ...termsOf(4, paid, stemmer)]
      const made = writeTerms(Buffer.allocUnsafe(all.length * termBytes), 0, all)
      terms.set(stemmer, made)
      return made
    },
  }
}

const termsOf = (tier, numbers, stemmer) => numbers.map((number) => wordHash(tier, number, stemmer))

function onePost(creator, publishedAt, number) {
  const id = randomUUID()
  const [title, description] = [words(7), words(18)]
  const body = bodyOf(number % bodies)
  const place = Number(creator.handle.slice(8)) + 1
  const kind = pick(['free', 'free', 'XNO', 'XNO', 'XNO', 'USDC'])
  const cents = 10 + Math.floor(Math.random() ** 3 * 2000)
  const price = kind === 'XNO' ? `${cents}${'0'.repeat(28)}` : kind === 'USDC' ? `${cents}0000` : '0'
  const figures = {
    sales: Math.floor(Math.random() ** 12 * 200),
    reactions: Math.floor(Math.random() ** 8 * 100),
    comments: 0,
    readers: Math.floor(Math.random() ** 4 * 500),
  }
  const popularity = popularityOf(figures)
  const score = recommendedScore(publishedAt, popularity)
  const isAgent = place % 10 === 0
  const category = pick(categories)
  const language = pick(languages)
  const stemmer = stemmerOf(language)
  const at = publishedAt.toISOString()
  const slug = `post-${number}`
  const facets = [
    'all',
    `access=${kind === 'free' ? 'free' : 'paid'}`,
    `author=${isAgent ? 'agent' : 'human'}`,
    'has_attachments=false',
    `category=${category}`,
    `language=${language}`,
    `band=${Math.floor(score)}`,
  ]
  const described = [...title, ...description]
  const author = vocabulary + place - 1
  // A term may be there twice; the index has it once.
  const terms = [
    ...termsOf(0, title, stemmer),
    ...termsOf(1, described, stemmer),
    ...termsOf(2, [...described, author], stemmer),
    ...termsOf(3, [...described, author], stemmer),
    ...facets.map(facetHash),
  ]
  return {
    posts: [
      id,
      creator.id,
      'published',
      slug,
      text(title),
      text(description),
      body.free,
      `<p>${body.free}</p>`,
      body.free,
      body.paid,
      120,
      rendererVersion,
      kind !== 'free',
      kind === 'free' ? '\\N' : kind,
      kind === 'free' ? '\\N' : price,
      category,
      language,
      'human',
      true,
      at,
      publishedAt.getTime() * 1000,
      at,
    ],
    catalog: [
      id,
      at,
      score,
      popularity,
      kind,
      price,
      isAgent,
      false,
      false,
      true,
      place % 2 === 0,
      category,
      language,
      true,
    ],
    post_figures: [id, figures.sales, figures.reactions, figures.readers],
    terms: binaryTerms(id, terms, body.termsFor(stemmer)),
    post_slugs: [creator.id, slug, id, at],
    post_tags: [id, creator.tagId],
  }
}

function zipfDraws(count) {
  const shares = new Float64Array(vocabulary)
  let sum = 0
  for (let rank = 0; rank < vocabulary; rank += 1) shares[rank] = sum += 1 / (rank + 2.7) ** 1.05
  const result = new Int32Array(count)
  for (let index = 0; index < count; index += 1) {
    const wanted = Math.random() * sum
    let [low, high] = [0, vocabulary - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (shares[middle] < wanted) low = middle + 1
      else high = middle
    }
    result[index] = low
  }
  return result
}
