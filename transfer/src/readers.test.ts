import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { makeZip, pixel, writeArchive, writeFolder } from './archives.fixture.ts'
import { readArchive } from './read-archive.ts'
import type { Archive, SkippedItem, SourcePost } from './source.ts'

async function read(archive: Archive): Promise<{ posts: Map<string, SourcePost>; skipped: SkippedItem[] }> {
  const posts = new Map<string, SourcePost>()
  const skipped: SkippedItem[] = []
  for await (const post of archive.posts())
    if ('skipped' in post) skipped.push(post)
    else posts.set(post.title, post)
  await archive.close()
  return { posts, skipped }
}

const ghostExport = (posts: unknown[], others: object = {}) =>
  JSON.stringify({ db: [{ meta: { exported_on: 1, version: '5.0.0' }, data: { posts, ...others } }] })

test('Ghost: members-only parts, tags, authors, cards and addresses of the site', async (t) => {
  const row = { id: '1', title: 'Open', slug: 'open', type: 'post', status: 'published', visibility: 'public' }
  const dated = { published_at: '2019-05-17T08:00:00.000Z', updated_at: '2020-01-01 00:00:00' }
  const json = ghostExport(
    [
      {
        ...row,
        ...dated,
        html: '<p>A <a href="__GHOST_URL__/other/">link</a></p><!--kg-card-begin: html--><p>B</p><!--kg-card-end: html--><!--members-only--><p>C</p>',
        lexical: '{"never":"read"}',
        feature_image: '__GHOST_URL__/content/images/2019/05/a.png',
        custom_excerpt: 'About',
        canonical_url: 'https://first.example/x',
      },
      {
        ...row,
        ...dated,
        id: '2',
        title: 'Paid',
        slug: 'paid',
        visibility: 'paid',
        html: '<p>Free</p><!--members-only--><p>Secret</p>',
      },
      { ...row, ...dated, id: '3', title: 'All paid', visibility: 'tiers', html: '<p>Secret</p>' },
      { ...row, ...dated, id: '4', title: 'Members', visibility: 'members', html: '<p>For members</p>' },
      { ...row, id: '5', title: 'A page', type: 'page', html: '<p>x</p>' },
      { ...row, id: '6', title: 'Scheduled', status: 'scheduled', html: '<p>x</p>', published_at: null },
      { ...row, id: '7', title: 'Without HTML', html: null, mobiledoc: '{}' },
      { ...row, id: '8', title: 'Deep', html: '<div>'.repeat(5000) },
      'nonsense',
      null,
    ],
    {
      tags: [
        { id: 't1', name: 'News' },
        { id: 't2', name: '#internal' },
      ],
      posts_tags: [
        { post_id: '1', tag_id: 't2', sort_order: 1 },
        { post_id: '1', tag_id: 't1', sort_order: 0 },
      ],
      users: [{ id: 'u1', name: 'Ada', slug: 'ada' }],
      posts_authors: [{ post_id: '1', author_id: 'u1', sort_order: 0 }],
    },
  )
  const zip = makeZip({ 'ghost.json': json, 'content/images/2019/05/a.png': pixel })
  const archive = await readArchive(await writeArchive(t, 'ghost.zip', zip), { siteUrl: 'https://old.example' })
  equal(archive.platform, 'ghost')
  deepEqual(archive.authors, [{ key: 'u1', name: 'Ada' }])
  const { posts, skipped } = await read(archive)
  const open = posts.get('Open')!
  // Everyone could read it, so the mark means nothing.
  deepEqual([open.access, open.free, open.paid], ['public', 'A [link](https://old.example/other/)\n\nB\n\nC', ''])
  deepEqual([open.sourceId, open.slug, open.oldPaths, open.tags], ['ghost:1', 'open', ['/open/'], ['News']])
  deepEqual([open.author, open.description, open.canonicalUrl], ['u1', 'About', 'https://first.example/x'])
  equal(open.publishedAt?.toISOString(), '2019-05-17T08:00:00.000Z')
  deepEqual(open.cover, { kind: 'archive', path: 'content/images/2019/05/a.png' })
  deepEqual([posts.get('Paid')!.free, posts.get('Paid')!.paid, posts.get('Paid')!.access], ['Free', 'Secret', 'paid'])
  deepEqual([posts.get('All paid')!.free, posts.get('All paid')!.paid], ['', 'Secret'])
  equal(posts.get('Members')!.access, 'members')
  equal(posts.get('Scheduled')!.status, 'draft')
  deepEqual(
    skipped.map(({ title }) => title),
    ['A page', 'Without HTML', 'Deep'],
  )
})

const wxr = (items: string, head = '') => `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old</title><link>https://old.example</link>
<wp:author><wp:author_id>1</wp:author_id><wp:author_login><![CDATA[ada]]></wp:author_login><wp:author_display_name><![CDATA[Ada L.]]></wp:author_display_name></wp:author>
${head}${items}</channel></rss>`

const item = (id: number, title: string, content: string, others = '') => `<item><title><![CDATA[${title}]]></title>
<link>https://old.example/2019/05/${id}/</link><dc:creator><![CDATA[ada]]></dc:creator><content:encoded><![CDATA[${content}]]></content:encoded>
<excerpt:encoded><![CDATA[]]></excerpt:encoded><wp:post_id>${id}</wp:post_id><wp:post_date_gmt>2019-05-17 08:00:00</wp:post_date_gmt>
<wp:post_name>post-${id}</wp:post_name><wp:post_type>post</wp:post_type>${/wp:status/.test(others) ? '' : '<wp:status>publish</wp:status>'}${others}</item>`

test('WordPress: classic text, shortcodes, attachments, states, CDATA and entities', async (t) => {
  const classic =
    'One\ntwo\n\nThree <!--more-->four\n\n<pre>a\n\nb</pre>\n\n[caption id="x" width="1"]<img src="https://old.example/a.jpg" alt="A" /> A caption[/caption]\n\n[gallery ids="90,91"]\n\n[contact-form-7 id="1"] [sic] [embed]https://v.example/1[/embed]'
  const xml = wxr(
    [
      item(
        1,
        'Classic &amp; old',
        classic,
        '<category domain="post_tag" nicename="x"><![CDATA[Tag]]></category><category domain="category" nicename="u"><![CDATA[Uncategorized]]></category><wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value><![CDATA[90]]></wp:meta_value></wp:postmeta><wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>older</wp:meta_value></wp:postmeta>',
      ),
      item(
        2,
        'Blocks',
        '<!-- wp:paragraph -->\n<p>A ]]]]><![CDATA[> b</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:code --><pre class="wp-block-code"><code>x</code></pre><!-- /wp:code -->',
      ),
      item(3, 'Trash', 'x', '<wp:status>trash</wp:status>'),
      item(4, 'Private', 'x', '<wp:status>private</wp:status>'),
      item(5, 'Password', 'x', '<wp:post_password>secret</wp:post_password>'),
      item(6, 'Page', 'x').replace('<wp:post_type>post<', '<wp:post_type>page<'),
      item(7, 'Menu', 'x').replace('<wp:post_type>post<', '<wp:post_type>nav_menu_item<'),
      item(8, 'Draft', 'x', '<wp:status>draft</wp:status>')
        .replace('2019-05-17 08:00:00', '0000-00-00 00:00:00')
        .replace('2019/05/8/', '?p=8'),
      '<item><title>&b;&file;</title><wp:post_id>9</wp:post_id><wp:post_type>post</wp:post_type><content:encoded>&lt;p&gt;plain &amp;amp; &b;&lt;/p&gt;</content:encoded></item>',
      ...[90, 91].map(
        (id) =>
          `<item><title>i</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>https://old.example/${id}.jpg</wp:attachment_url></item>`,
      ),
    ].join('\n'),
  )
  const archive = await readArchive(await writeArchive(t, 'wordpress.xml', xml))
  deepEqual(archive.authors, [{ key: 'ada', name: 'Ada L.' }])
  const { posts, skipped } = await read(archive)
  const old = posts.get('Classic &amp; old')!
  match(
    old.free,
    /^One\\\ntwo\n\nThree four\n\n```\na\n\nb\n```\n\n!\[A\]\(image:\w+ "A caption"\)\n\n!\[\]\(image:\w+\)\n\n!\[\]\(image:\w+\)\n\n\\\[sic\\\] https:\/\/v\.example\/1$/,
  )
  deepEqual([old.sourceId, old.slug, old.tags, old.author], ['wordpress:old.example:1', 'post-1', ['Tag'], 'ada'])
  deepEqual(old.oldPaths, ['/2019/05/1/', '/2019/05/older/'])
  deepEqual(old.cover, { kind: 'url', url: 'https://old.example/90.jpg' })
  equal(old.images.length, 3)
  ok(old.notes.some((note) => note.includes('[contact-form-7]')))
  equal(posts.get('Blocks')!.free, 'A \\]\\]> b\n\n```\nx\n```')
  deepEqual(
    ['Private', 'Password', 'Draft'].map((title) => posts.get(title)!.status),
    ['draft', 'draft', 'draft'],
  )
  deepEqual([posts.get('Draft')!.publishedAt, posts.get('Draft')!.oldPaths], [undefined, []])
  // Entities of the file are never expanded.
  const entities = [...posts.values()].find(({ sourceId }) => sourceId.endsWith(':9'))!
  equal(/a{10}|root:/.test(entities.title + entities.free), false)
  deepEqual(
    skipped.map(({ title }) => title),
    ['Trash', 'Page'],
  )
})

test('Substack: audience, the paywall in the text, and what is no post', async (t) => {
  const csv = [
    'post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url',
    '101.open,2021-02-03T04:05:06.000Z,true,,,newsletter,everyone,"A ""quoted"", title","Sub\ntitle",',
    '102.paid,2021-02-04T04:05:06.000Z,true,,,newsletter,only_paid,Paid,,',
    '103.members,2021-02-05T04:05:06.000Z,true,,,newsletter,only_free,Members,,',
    '104,,false,,,newsletter,everyone,Draft,,',
    '105.talk,2021-02-05T04:05:06.000Z,true,,,thread,everyone,Thread,,',
    '106.lost,2021-02-05T04:05:06.000Z,true,,,newsletter,everyone,Lost,,',
  ].join('\r\n')
  const wall = '<div class="paywall-jump" data-component-name="PaywallToDOM"></div>'
  const zip = makeZip({
    'posts.csv': csv,
    'posts/101.open.html': `<p>Hello</p>${wall}<p>all</p><div class="captioned-image-container"><figure><a class="image-link" href="https://cdn.example/big.png"><img src="https://cdn.example/a.png"></a><figcaption>C</figcaption></figure></div>`,
    'posts/102.paid.html': `<p>Free</p>${wall}<p>Secret</p>`,
    'posts/103.members.html': '<p>Members</p>',
    'posts/104.html': '<p>Draft</p>',
    'email_list.csv': 'email\nsomebody@example.com',
  })
  const { posts, skipped } = await read(await readArchive(await writeArchive(t, 'substack.zip', zip)))
  const open = posts.get('A "quoted", title')!
  match(open.free, /^Hello\n\nall\n\n!\[\]\(image:\w+ "C"\)$/)
  deepEqual([open.sourceId, open.slug, open.oldPaths, open.access], ['substack:101', 'open', ['/p/open'], 'public'])
  deepEqual([posts.get('Paid')!.free, posts.get('Paid')!.paid, posts.get('Paid')!.access], ['Free', 'Secret', 'paid'])
  deepEqual(
    [posts.get('Members')!.free, posts.get('Members')!.paid, posts.get('Members')!.access],
    ['', 'Members', 'members'],
  )
  equal(posts.get('Draft')!.status, 'draft')
  deepEqual(
    skipped.map(({ title }) => title),
    ['Thread', 'Lost'],
  )
})

test('Medium: titles in the text, drafts and responses', async (t) => {
  const page = (title: string, body: string, id = 'abcdef123456') =>
    `<!DOCTYPE html><html><head><title>${title}</title></head><body><article class="h-entry"><header><h1 class="p-name">${title}</h1></header><section data-field="subtitle" class="p-summary">About it</section><section data-field="body" class="e-content"><section class="section"><div class="section-divider"><hr class="section-divider"></div><div class="section-content">${body}</div></section></section><footer><p>By <a href="https://medium.com/@ada" class="p-author h-card">Ada</a> on <a href="https://medium.com/p/x"><time class="dt-published" datetime="2018-03-04T05:06:07.000Z">March 4</time></a>.</p><p><a href="https://medium.com/@ada/${title.toLowerCase()}-${id}" class="p-canonical">Canonical link</a></p><p>Exported</p></footer></article></body></html>`
  const zip = makeZip({
    'README.html': '<p>x</p>',
    'posts/2018-03-04_Hello-abcdef123456.html': page(
      'Hello',
      '<h3 class="graf graf--h3 graf--leading graf--title">Hello</h3><p>Text <strong>x</strong></p><pre>code</pre>',
    ),
    'posts/draft_Idea-aaaaaa123456.html': page(
      'Idea',
      '<h3 class="graf graf--title">Idea</h3><p>y</p>',
      'aaaaaa123456',
    ),
    'posts/2018-03-05_Nice-bbbbbb123456.html': page('Nice', '<p class="graf graf--p">Nice post!</p>', 'bbbbbb123456'),
  })
  const { posts, skipped } = await read(await readArchive(await writeArchive(t, 'medium.zip', zip)))
  const hello = posts.get('Hello')!
  equal(hello.free, 'Text **x**\n\n```\ncode\n```')
  deepEqual(
    [hello.sourceId, hello.slug, hello.oldPaths],
    ['medium:abcdef123456', 'hello', ['/@ada/hello-abcdef123456']],
  )
  deepEqual(
    [hello.publishedAt?.toISOString(), hello.author, hello.description],
    ['2018-03-04T05:06:07.000Z', 'Ada', 'About it'],
  )
  equal(posts.get('Idea')!.status, 'draft')
  deepEqual(
    skipped.map(({ title }) => title),
    ['Nice'],
  )
})

test('Markdown: front matters of Hugo and Jekyll, images beside the file, paid parts', async (t) => {
  const folder = await writeFolder(t, {
    'README.md': '# Not a post',
    '_posts/2017-01-02-hello-world.md':
      '---\ntitle: "Hello: world"\ntags: [a, b]\npermalink: /old/hello/\n---\n\nText ![A](../static/a.png "T") `![no](x.png)`\n\n```\n![no](y.png)\n```\n',
    'static/a.png': pixel,
    'content/posts/bundle/index.md':
      "+++\ntitle = 'Toml'\ndate = 2018-01-01T00:00:00Z\ntags = ['x', \"y\"]\ndraft = true\n+++\nFree\n\n<!--paid-->\n\nSecret ![](pic.png) ![][ref]\n\n[ref]: https://old.example/r.png\n",
    'content/posts/bundle/pic.png': pixel,
    'plain.md': '# From the heading\n\nNo date here. <div>x</div>',
    'bomb.md': `---\na: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n---\n\nText\n`,
    'windows.md': '\uFEFF---\r\ntitle: Windows\r\ndate: 2019-01-01\r\n---\r\n\r\nLine\r\n',
    'outside.md': '---\ntitle: Outside\ndate: 2019-01-01\n---\n![x](../../../../etc/passwd) ![y](/etc/passwd)',
    'proto.md': '---\ntitle: Proto\n__proto__: {polluted: true}\n---\nx',
  })
  const { posts, skipped } = await read(await readArchive(folder))
  const hello = posts.get('Hello: world')!
  match(hello.free, /^Text !\[A\]\(image:\w+ "T"\) `!\[no\]\(x\.png\)`\n\n```\n!\[no\]\(y\.png\)\n```$/)
  deepEqual(
    [hello.slug, hello.publishedAt?.toISOString(), hello.oldPaths],
    ['hello-world', '2017-01-02T00:00:00.000Z', ['/old/hello/']],
  )
  deepEqual(hello.images[0]!.source, { kind: 'archive', path: 'static/a.png' })
  const toml = posts.get('Toml')!
  deepEqual(
    [toml.status, toml.access, toml.free, toml.slug, toml.tags],
    ['draft', 'paid', 'Free', 'bundle', ['x', 'y']],
  )
  match(toml.paid, /^Secret !\[\]\(image:\w+\) !\[\]\(image:\w+\)/)
  equal(toml.images.length, 2)
  const plain = posts.get('From the heading')!
  deepEqual([plain.status, plain.free, plain.notes.length], ['draft', 'No date here. <div>x</div>', 2])
  deepEqual([posts.get('Windows')!.status, posts.get('Windows')!.free], ['published', 'Line'])
  equal(posts.get('Outside')!.images.length, 0)
  equal(({} as { polluted?: boolean }).polluted, undefined)
  match(skipped.find(({ title }) => title === 'bomb.md')!.skipped, /front matter cannot be read/)
})

test('what is no archive is refused with a sentence', async (t) => {
  for (const [name, content] of [
    ['a.json', '{"a":1}'],
    ['b.json', '{"db":'],
    ['c.zip', 'nothing'],
    ['d.zip', makeZip({ 'a.txt': 'x' })],
    ['e.zip', makeZip({ 'posts.csv': '"never closed' })],
    ['f.zip', makeZip({ 'manifest.json': '{"format":"pennypost-export","version":2,"posts":[]}' })],
  ] as const)
    await rejects(readArchive(await writeArchive(t, name, content)), { name: 'ArchiveError' }, name)
  await rejects(readArchive('/nowhere/at/all'), { name: 'ArchiveError' })
})
