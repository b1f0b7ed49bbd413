import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { getPublicPost } from '@pennypost/contract/discovery'
import { listPosts, updatePost } from '@pennypost/contract/posts'
import { picture, zip } from '../../uploads/uploads.fixture.ts'
import { writer } from './writer.fixture.ts'

test('a post goes from nothing to published, with an image, a ZIP and a series, and back', async (t) => {
  const { world, cli, path, read, remote, idIn } = await writer(t)
  equal(
    (await cli(['post', 'new', 'engines.md', '--title', 'On "engines": a start 🎉', '--price', '0.1 XNO'])).exitCode,
    0,
  )
  equal((await cli(['post', 'new', 'engines.md'])).exitCode, 1)
  const text = (await read('engines.md'))
    .replace(
      'What everyone can read.',
      '![An engine](pictures/engine.png "Look")\n\n```\n![not](pictures/no.png)\n---\n```',
    )
    .replace(
      'category: other',
      'category: technology\nseries: Machines\nattachments: [drawings.zip]\ncover: pictures/engine.png',
    )
  await mkdir(path('pictures'))
  await writeFile(path('engines.md'), text)
  await writeFile(path('pictures/engine.png'), await picture())
  await writeFile(path('drawings.zip'), zip({ 'engine.txt': 'A drawing' }))
  const dry = await cli(['post', 'push', 'engines.md', '--dry-run', '--json'])
  deepEqual([dry.json.outcome, dry.json.id, await read('engines.md')], ['created', null, text])
  const pushed = await cli(['post', 'push', 'engines.md', '--json'])
  equal(pushed.exitCode, 0, pushed.stderr)
  deepEqual(
    [pushed.json.outcome, pushed.json.status, pushed.json.blockers.map((each: { field: string }) => each.field)],
    ['created', 'draft', ['creationAttested']],
  )
  // The file is unchanged except for two lines.
  const lines = (await read('engines.md')).split('\n')
  deepEqual(lines.filter((line) => !/^(id|revision): /.test(line)).join('\n'), text)
  const id = await idIn('engines.md')
  const saved = await remote(id)
  deepEqual(
    [saved.title, saved.enablePaywall, saved.priceAtomic, saved.paidContentMarkdown.trim()],
    ['On "engines": a start 🎉', true, '1'.padEnd(30, '0'), 'What readers pay for.'],
  )
  match(
    saved.freeContentMarkdown,
    /!\[An engine\]\(image:engine-[0-9a-f]{16} "Look"\)\n\n```\n!\[not\]\(pictures\/no.png\)\n---\n```/,
  )
  deepEqual(
    saved.attachments.map(({ filename }: { filename: string }) => filename),
    ['drawings.zip'],
  )
  ok(saved.ogImageUrl)
  const again = await cli(['post', 'push', 'engines.md', '--json'])
  deepEqual([again.json.outcome, again.json.changes, (await remote(id)).updatedAt], ['unchanged', [], saved.updatedAt])
  // Publishing has to be confirmed.
  equal((await cli(['post', 'publish', 'engines.md'])).exitCode, 2)
  const published = await cli(['post', 'publish', 'engines.md', '--attest', '--no-email', '--json'])
  equal(published.json.status, 'published', published.stderr)
  await world.runJobs()
  const page = await world.stranger().calls(getPublicPost, { params: { postId: id } })
  match(page.body.freeContentHtml, /<img[^>]+src="[^"]*\/media\//)
  // Pulling writes the same again, and pushing that changes nothing.
  equal((await cli(['post', 'pull', id, '--to', 'copy/again.md', '--with-files', '--json'])).json.outcome, 'written')
  deepEqual((await readdir(path('copy/again.files'))).length, 3)
  match(await read('copy/again.md'), /^series: "Machines"$/m)
  match(await read('copy/again.md'), /!\[An engine\]\(again.files\/engine-[0-9a-f]{16}\.\w+ "Look"\)/)
  const unchanged = await cli(['post', 'push', 'copy/again.md', '--json'])
  deepEqual([unchanged.json.outcome, unchanged.json.changes], ['unchanged', []])
  deepEqual((await cli(['post', 'unpublish', 'engines.md', '--yes', '--json'])).json.status, 'withdrawn')
  match((await cli(['post', 'list'])).stdout, /withdrawn +0.1 XNO +0 .*On "engines": a start 🎉\n/)
})

test('what was changed elsewhere is not overwritten, in either direction', async (t) => {
  const { creator, cli, path, read, remote, idIn } = await writer(t)
  await writeFile(path('a.md'), '# A title\n\nText')
  equal((await cli(['post', 'push', 'a.md'])).exitCode, 0)
  const id = await idIn('a.md')
  equal((await remote(id)).title, 'A title')
  const change = async (description: string) => {
    const { updatedAt } = await remote(id)
    const input = { params: { postId: id }, headers: { 'x-post-revision': updatedAt }, body: { description } }
    equal((await creator.publisher.calls(updatePost, input)).status, 200)
  }
  await change('From the site')
  const mine = `${await read('a.md')} of mine`
  await writeFile(path('a.md'), mine)
  const refused = await cli(['post', 'push', 'a.md', '--json'])
  deepEqual([refused.exitCode, refused.json.error.code], [4, 'revision-conflict'])
  const notPulled = await cli(['post', 'pull', 'a.md', '--json'])
  deepEqual([notPulled.exitCode, notPulled.json.error.code, await read('a.md')], [4, 'file-edited', mine])
  equal((await cli(['post', 'push', 'a.md', '--force'])).exitCode, 0)
  deepEqual([(await remote(id)).freeContentMarkdown, (await remote(id)).description], ['Text of mine', 'From the site'])
  // A file that nobody touched is brought up to date.
  await change('Once more')
  equal((await cli(['post', 'pull', 'a.md', '--json'])).json.outcome, 'written')
  match(await read('a.md'), /^description: "Once more"$/m)
  equal((await cli(['post', 'pull', 'a.md', '--json'])).json.outcome, 'unchanged')
  equal((await cli(['post', 'push', 'a.md', '--json'])).json.outcome, 'unchanged')
})

test('nothing outside of the folder is uploaded, and what is no image is refused', async (t) => {
  const { creator, cli, path } = await writer(t)
  await mkdir(path('posts'))
  await writeFile(path('secret.png'), await picture())
  await writeFile(path('posts/text.png'), 'not an image')
  for (const [address, code] of [
    ['../secret.png', 'outside-folder'],
    ['text.png', 'not-an-image'],
    ['missing.png', 'no-such-file'],
  ]) {
    await writeFile(path('posts/a.md'), `---\ntitle: A\n---\n\n![x](${address})`)
    const { exitCode, json } = await cli(['post', 'push', 'posts/a.md', '--json'])
    deepEqual([exitCode, json.error.code], [1, code])
  }
  await writeFile(path('posts/a.md'), '---\ntitle: A\nprice: cheap\n---\n')
  match(
    (await cli(['post', 'push', 'posts/a.md'])).stderr,
    /price in the front matter must be an amount and a currency/,
  )
  await writeFile(path('posts/a.md'), '---\nid: 00000000-0000-4000-8000-000000000000\ntitle: A\n---\n')
  equal((await cli(['post', 'push', 'posts/a.md'])).exitCode, 4)
  equal((await creator.publisher.calls(listPosts, {})).body.total, 0)
})
