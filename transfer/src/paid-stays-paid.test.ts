import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { makeZip, writeArchive, writeFolder } from './archives.fixture.ts'
import { withoutWordpressParts } from './gated-content.ts'
import { type ImportChoices, preparePost } from './prepare-post.ts'
import { readArchive } from './read-archive.ts'

// What not everyone could read on the old site is not free here, however the old site says so.

const price = { currency: 'USDC', atomic: '250000' } as const

/** What becomes of each post: its status, its free and its paid part. Or why it was left out. */
async function outcomes(path: string, choices: ImportChoices = { price }) {
  const archive = await readArchive(path)
  const found: Record<string, unknown[]> = {}
  for await (const post of archive.posts()) {
    if ('skipped' in post) {
      found[post.title] = [post.skipped]
      continue
    }
    const { body } = preparePost(post, archive.platform, choices)
    const { status, freeContentMarkdown, paidContentMarkdown, enablePaywall } = body
    found[post.title] = [status, freeContentMarkdown, paidContentMarkdown, enablePaywall]
  }
  await archive.close()
  return found
}

test('Ghost: cards for some readers only, and posts that were only emailed', async (t) => {
  const gated = (about: string, text: string) =>
    `<!--kg-gated-block:begin ${about} --><p>${text}</p><!--kg-gated-block:end-->`
  const post = (title: string, html: string, others: object = {}) => ({
    id: title,
    title,
    html,
    status: 'published',
    visibility: 'public',
    published_at: '2024-05-17T08:00:00.000Z',
    ...others,
  })
  const hidden = gated('nonMember:false memberSegment:"status:-free"', 'Secret')
  const posts = [
    post('Card', `<p>A</p>${hidden}<p>B</p>`),
    post('Members', `<p>A</p>${gated('nonMember:false memberSegment:"status:free,status:-free"', 'Inside')}`),
    post('Everyone', `<p>A</p>${gated('nonMember:true memberSegment:"status:free,status:-free"', 'B')}`),
    post('Above', `<p>A</p>${hidden}<!--members-only--><p>B</p>`, { visibility: 'paid' }),
    post('Emailed', '<p>A</p>', { status: 'sent', email_recipient_filter: 'all' }),
    post('Emailed to payers', '<p>A</p>', { status: 'sent', email_recipient_filter: 'status:-free' }),
  ]
  const path = await writeArchive(t, 'ghost.json', JSON.stringify({ db: [{ data: { posts } }] }))
  deepEqual(await outcomes(path), {
    Card: ['published', 'A\n\nB', 'Secret', true],
    Members: ['published', 'A', 'Inside', true],
    Everyone: ['published', 'A\n\nB', '', false],
    Above: ['published', 'A', 'Secret\n\nB', true],
    Emailed: ['published', '', 'A', true],
    'Emailed to payers': ['published', '', 'A', true],
  })
  deepEqual((await outcomes(path, { members: 'free' })).Card, ['draft', 'A\n\nB', 'Secret', true])
})

test('WordPress: Jetpack newsletters and paywalls, premium blocks, shortcodes of membership plugins', async (t) => {
  let number = 0
  const item = (title: string, content: string, access?: string) => {
    number += 1
    const meta = `<wp:postmeta><wp:meta_key>_jetpack_newsletter_access</wp:meta_key><wp:meta_value>${access}</wp:meta_value></wp:postmeta>`
    return `<item><title>${title}</title><wp:post_id>${number}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt><content:encoded><![CDATA[${content}]]></content:encoded>${access === undefined ? '' : meta}</item>`
  }
  const items = [
    item('Paid', '<p>A</p>', 'paid_subscribers'),
    item('Wall', '<!-- wp:paragraph --><p>A</p><!-- wp:jetpack/paywall /--><p>B</p>', 'paid_subscribers'),
    item('Forgotten', '<!-- wp:paragraph --><p>A</p><!-- wp:jetpack/paywall /--><p>B</p>'),
    item('Open', '<p>A [sic] [members_list]</p>', 'everybody'),
    item(
      'Block',
      '<!-- wp:premium-content/container {"x":1} --><p>Secret</p><!-- /wp:premium-content/container --><p>After</p>',
    ),
    item('Plugin', '<p>A</p>[restrict paid="true"]<p>Secret</p>[/restrict]<p>B</p>[Member]<p>More</p>[/Member]'),
  ]
  const xml = `<rss><channel><link>https://blog.example</link>${items.join('')}</channel></rss>`
  deepEqual(await outcomes(await writeArchive(t, 'wordpress.xml', xml)), {
    Paid: ['published', '', 'A', true],
    Wall: ['published', 'A', 'B', true],
    Forgotten: ['published', 'A', 'B', true],
    Open: ['published', 'A \\[sic\\] \\[members_list\\]', '', false],
    Block: ['published', 'After', 'Secret', true],
    Plugin: ['published', 'A\n\nB', 'Secret\n\nMore', true],
  })
  const many = '[restrict]'.repeat(200_000)
  equal(withoutWordpressParts(many).open.length, many.length)
})

test('Substack: an audience that nobody has heard of did pay', async (t) => {
  const csv = ['post_id,post_date,is_published,type,audience,title']
  const files: Record<string, string> = {}
  for (const [index, audience] of ['everyone', 'founding', 'only_founding', ''].entries()) {
    csv.push(`${index}.x,2021-02-03T04:05:06.000Z,true,newsletter,${audience},${audience || 'none'}`)
    files[`posts/${index}.x.html`] = '<p>A</p>'
  }
  const zip = makeZip({ 'posts.csv': csv.join('\n'), ...files })
  deepEqual(await outcomes(await writeArchive(t, 'substack.zip', zip)), {
    everyone: ['published', 'A', '', false],
    founding: ['published', '', 'A', true],
    only_founding: ['published', '', 'A', true],
    none: ['published', '', 'A', true],
  })
})

test('Markdown: marks within a line, facts about readers, and front matters that cannot be read', async (t) => {
  const file = (facts: string, text = 'A') => `---\ndate: 2019-01-01\n${facts}\n---\n\n${text}\n`
  const folder = await writeFolder(t, {
    'inline.md': file('title: Inline', 'A <!-- paid --> Secret'),
    'code.md': file('title: Code', 'Write `<!--paid-->` there.'),
    'ghost.md': file('title: Ghost\nvisibility: paid'),
    'premium.md': file('title: Premium\npremium: yes'),
    'members.md': file('title: Members\nvisibility: members'),
    'jekyll.md': file('title: Jekyll\npublished: no'),
    'quoted.md': file('title: Quoted\ndraft: "true"'),
    'private.md': file('title: Private\nstatus: private'),
    '2019-01-01-colon.md': '---\ntitle: One: two\ndraft: true\n---\n\nA\n',
    '2019-01-01-rule.md': '---\nJust a *rule\n---\n\nA\n',
  })
  const found = await outcomes(folder)
  match(String(found['2019-01-01-colon.md']), /front matter cannot be read/)
  equal(String(found.rule).startsWith('published,---'), true)
  const { '2019-01-01-colon.md': _, rule: __, ...others } = found
  deepEqual(others, {
    Inline: ['published', 'A', 'Secret', true],
    Code: ['published', 'Write `<!--paid-->` there.', '', false],
    Ghost: ['published', '', 'A', true],
    Premium: ['published', '', 'A', true],
    Members: ['published', '', 'A', true],
    Jekyll: ['draft', 'A', '', false],
    Quoted: ['draft', 'A', '', false],
    Private: ['draft', 'A', '', false],
  })
})

test('Pennypost: a paid part behind a paywall that is off stays apart', async (t) => {
  const facts = 'id: "1"\ntitle: "Off"\nstatus: "published"\npaywall: false\npublishedAt: "2020-01-01T00:00:00.000Z"'
  const zip = makeZip({
    'manifest.json': JSON.stringify({ format: 'pennypost-export', version: 1, posts: [{ folder: 'posts/1' }] }),
    'posts/1/post.md': `---\n${facts}\n---\n\nA`,
    'posts/1/paid.md': 'Secret',
  })
  deepEqual(await outcomes(await writeArchive(t, 'export.zip', zip)), { Off: ['published', 'A', 'Secret', false] })
})
