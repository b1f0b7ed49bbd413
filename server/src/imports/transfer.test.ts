import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { readArchive } from '@pennypost/transfer/read-archive'
import { redirectMap } from '@pennypost/transfer/redirect-map'
import { planImport } from '@pennypost/transfer/run-import'
import { exportsAll } from '../personal-data/personal-data.fixture.ts'
import { draft, paidPost, payable, publish } from '../posts/posts.fixture.ts'

import type { Scope } from '../test/shared.ts'
import { emptiedWorld, sharedWorld } from '../test/world.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { illustratedPost, picture, sendImage } from '../uploads/uploads.fixture.ts'
import { accountOf, contentOf, exportedArchive, importsArchive, postsOf } from './transfer.fixture.ts'

async function ghostArchive(t: Scope, posts: object[], siteUrl?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-ghost-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'ghost.json')
  const common = { type: 'post', status: 'published', visibility: 'public', published_at: '2019-05-17T08:00:00.000Z' }
  const rows = posts.map((post, index) => ({ id: String(index + 1), slug: `post-${index + 1}`, ...common, ...post }))
  await writeFile(path, JSON.stringify({ db: [{ meta: {}, data: { posts: rows } }] }))
  return readArchive(path, siteUrl === undefined ? {} : { siteUrl })
}

const price = { currency: 'XNO', atomic: `1${'0'.repeat(28)}` } as const

test('an archive is planned, imported, and a second run changes nothing', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const archive = await ghostArchive(t, [
    { title: 'Open', html: '<p>Hello <b>you</b></p>' },
    { title: 'Paid', visibility: 'paid', html: '<p>Free</p><!--members-only--><p>Secret</p>' },
    { title: 'A page', type: 'page', html: '<p>x</p>' },
  ])
  const plan = await planImport(archive, { accounts: { me: accountOf(world, author) }, attested: true })
  deepEqual(
    plan.posts.map(({ title, outcome, status }) => [title, outcome, status]),
    [
      ['Open', 'created', 'published'],
      ['Paid', 'created', 'draft'],
      ['A page', 'skipped', undefined],
    ],
  )
  // Without a price it is not for sale, and it never becomes free.
  ok(plan.posts[1]!.notes.some((note) => note.includes('no price')))
  equal((await postsOf(author)).size, 0)

  const seen: string[] = []
  const report = await importsArchive(world, author, archive, {
    choices: { price },
    onProgress: ({ title }) => seen.push(title),
  })
  deepEqual([report.totals.created, report.totals.skipped, report.totals.paid, seen.length], [2, 1, 1, 3])
  const posts = await postsOf(author)
  deepEqual(
    [posts.get('Paid')!.status, posts.get('Paid')!.freeContentMarkdown, posts.get('Paid')!.paidContentMarkdown],
    ['published', 'Free', 'Secret'],
  )
  equal(posts.get('Open')!.publishedAt, '2019-05-17T08:00:00.000Z')
  match(redirectMap(report, 'csv'), new RegExp(`"/post-1","http://pennypost.test/@${author.handle}/post-1"`))
  const again = await importsArchive(world, author, archive, { choices: { price } })
  deepEqual([again.totals.unchanged, again.totals.created], [2, 0])
})

test('posts that had to stay drafts become public when the import is run again', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const archive = await ghostArchive(t, [{ title: 'Open', html: '<p>Hello</p>' }])
  const first = await importsArchive(world, author, archive)
  deepEqual([first.posts[0]!.outcome, first.posts[0]!.status], ['created', 'draft'])
  equal((await importsArchive(world, author, archive)).posts[0]!.outcome, 'unchanged')
  await payable(author)
  const again = await importsArchive(world, author, archive)
  deepEqual([again.posts[0]!.outcome, again.posts[0]!.status], ['updated', 'published'])
  equal((await postsOf(author)).get('Open')!.publishedAt, '2019-05-17T08:00:00.000Z')
})

test('an import that was interrupted goes on where it stopped, and leaves edited posts alone', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const posts = Array.from({ length: 6 }, (_, index) => ({ title: `Post ${index}`, html: `<p>Text ${index}</p>` }))
  const archive = await ghostArchive(t, posts)
  const stop = new AbortController()
  const interrupted = importsArchive(world, author, archive, {
    signal: stop.signal,
    onProgress: (_, done) => done === 3 && stop.abort(),
  })
  await rejects(interrupted, { name: 'AbortError' })
  const [first] = [...(await postsOf(author)).values()].filter(({ title }) => title === 'Post 0')
  const params = { postId: first!.id }
  const headers = { 'x-post-revision': first!.updatedAt }
  await author.publisher.calls(updatePost, { params, headers, body: { freeContentMarkdown: 'Edited here' } })
  const changed = await ghostArchive(t, [{ ...posts[0]!, html: '<p>New</p>' }, ...posts.slice(1)])
  const { totals } = await importsArchive(world, author, changed)
  deepEqual([totals.kept, totals.unchanged, totals.created], [1, 2, 3])
  equal((await author.publisher.calls(getPost, { params })).body.freeContentMarkdown, 'Edited here')
})

test('images are fetched by the importer and hosted; what cannot be had becomes a link and is tried again', async (t) => {
  const bytes = await picture()
  let isBroken = true
  const server = createServer((request, response) => {
    if (request.url === '/b.png' && isBroken) return void response.writeHead(500).end()
    if (request.url === '/c.png') return void response.end('<html>no picture</html>')
    response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const siteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const html = '<p><img src="/a.png" alt="A"></p><p><img src="/b.png" alt="B"></p><p><img src="/c.png" alt="C"></p>'
  const archive = await ghostArchive(t, [{ title: 'Pictures', html, feature_image: '__GHOST_URL__/a.png' }], siteUrl)
  // Without permission nothing on this machine is fetched.
  const careful = await importsArchive(world, author, archive)
  deepEqual([careful.posts[0]!.files?.failed, careful.totals.filesFailed], [4, 4])
  const options = { allowPrivate: true }
  const report = await importsArchive(world, author, archive, options)
  deepEqual([report.posts[0]!.outcome, report.posts[0]!.files], ['updated', { wanted: 4, sent: 2, failed: 2 }])
  await world.runJobs()
  const post = (await postsOf(author)).get('Pictures')!
  match(post.freeContentMarkdown, /^!\[A\]\(image:\w+\)\n\n\[B\]\(http:\/\/127\.0\.0\.1:\d+\/b\.png\)\n\n\[C\]\(http/)
  ok(post.ogImageUrl)
  isBroken = false
  const second = await importsArchive(world, author, archive, options)
  deepEqual(second.posts[0]!.files, { wanted: 4, sent: 3, failed: 1 })
  await world.runJobs()
  match((await postsOf(author)).get('Pictures')!.freeContentMarkdown, /!\[B\]\(image:/)
})

test('authors go to the accounts that were chosen for them', async (t) => {
  const world = await sharedWorld(t)
  const [ada, grace] = [await payable(await world.creator()), await payable(await world.creator())]
  const archive = await ghostArchive(t, [
    { title: 'By Ada', author_id: 'a', html: '<p>x</p>' },
    { title: 'By Grace', author_id: 'g', html: '<p>x</p>' },
    { title: 'By a guest', author_id: 'x', html: '<p>x</p>' },
  ])
  const accounts = { ada: accountOf(world, ada), grace: accountOf(world, grace) }
  const report = await importsArchive(world, ada, archive, { accounts, authors: { g: 'grace', x: null } })
  deepEqual([[...(await postsOf(ada)).keys()], [...(await postsOf(grace)).keys()]], [['By Ada'], ['By Grace']])
  equal(report.totals.skipped, 1)
  await rejects(importsArchive(world, ada, archive, { accounts, authors: { g: 'nobody' } }), { name: 'ArchiveError' })
})

test('a slug that is taken gets a number, and a token that is wrong ends the import', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  await publish(author)
  const archive = await ghostArchive(t, [{ title: 'Other', slug: 'on-engines', html: '<p>x</p>' }])
  const report = await importsArchive(world, author, archive)
  match(report.posts[0]!.pageUrl!, /\/on-engines-2$/)
  ok(report.posts[0]!.notes.some((note) => note.includes('on-engines-2')))
  const accounts = { me: { ...accountOf(world, author), token: 'wrong' } }
  await rejects(importsArchive(world, author, archive, { accounts }), { status: 401 })
})

test('an export imports again with the same content, files and dates; unzip and Ghost read it too', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const illustrated = await publish(author, {
    ...illustratedPost,
    title: 'Über pictures',
    tags: ['Ä', 'b'],
    math: true,
  })
  await sendImage(author.publisher, illustrated.id)
  await sendImage(author.publisher, illustrated.id, {
    query: { intent: 'og' },
    headers: {
      'x-post-revision': (await author.publisher.calls(getPost, { params: { postId: illustrated.id } })).body.updatedAt,
    },
  })
  const tricky = '\n\n---\ntitle: no\n---\n\n`code`\n\n```\nx\n```\n\ttab  \n'
  const paid = await publish(author, {
    ...paidPost,
    title: 'Paid',
    freeContentMarkdown: tricky,
    paidContentMarkdown: `${tricky}end\n`,
    canonicalUrl: 'https://first.example/',
  })
  equal((await uploadZip(author.publisher, paid.id, smallZip(), { filename: 'my files.zip' })).status, 200)
  await draft(author.publisher, { title: 'Only a title' })
  await world.runJobs()
  const archive = await exportedArchive(t, world, author)
  equal(archive.platform, 'pennypost')

  const other = await payable(await world.creator())
  const report = await importsArchive(world, other, archive)
  await world.runJobs()
  deepEqual(
    [report.totals.created, report.totals.refused, report.totals.filesFailed],
    [3, 0, 0],
    JSON.stringify(report.posts),
  )
  const [before, after] = [await postsOf(author), await postsOf(other)]
  for (const [title, post] of before) {
    const expected = contentOf(post)
    // A draft without a category gets one: publishing needs it.
    const defaults = title === 'Only a title' ? { category: 'other', language: 'en', creationMethod: 'human' } : {}
    deepEqual(contentOf(after.get(title)!), { ...expected, ...defaults }, title)
  }
  const again = await importsArchive(world, other, archive)
  equal(again.totals.unchanged, 3, JSON.stringify(again.posts))
})

test('the archive has a manifest of every file, and posts that Ghost takes', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  await publish(author, { ...paidPost, title: 'Paid', tags: ['News'] })
  const files = await exportsAll(t, world, author)
  const manifest = JSON.parse(files.get('manifest.json')!.toString())
  deepEqual([manifest.format, manifest.version, manifest.posts.length], ['pennypost-export', 1, 1])
  const listed = new Map(manifest.files.map((file: { path: string }) => [file.path, file]))
  deepEqual([...files.keys()].filter((name) => name !== 'manifest.json').sort(), [...listed.keys()].sort())
  const [{ data }] = JSON.parse(files.get('ghost.json')!.toString()).db
  match(data.posts[0].html, /^<p>Hello[\s\S]*<!--members-only-->\n<p>The secret<\/p>/)
  deepEqual([data.posts[0].visibility, data.tags[0].name, data.posts_tags.length], ['paid', 'News', 1])
})
