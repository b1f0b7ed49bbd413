import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getPost } from '@pennypost/contract/posts'
import { signsIn } from '../payments/market.fixture.ts'
import { payable, publish } from '../posts/posts.fixture.ts'
import { createWorld } from '../test/world.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { sendImage } from '../uploads/uploads.fixture.ts'
import { contentOf, exportedArchive, importsArchive, postsOf } from './transfer.fixture.ts'

const count = 1000

// Everything that the renderer knows, and what confuses programs that cut files.
const features = [
  '# Heading\n\nText with **bold**, *slanted*, ~~gone~~, `code` and a [link](https://a.example/x_(y) "title").',
  '- a\n- b\n  1. c\n\n     paragraph\n- [x] done\n- [ ] open',
  '| A | B |\n|---|:-:|\n| `x\\|y` | ü 深海 |',
  '```js\nconst a = `---`\n```\n\n~~~\n```\n~~~',
  '> quote\n>\n> > nested\n\n---\n\nAfter the line',
  'A note[^1] and another[^long].\n\n[^1]: Short.\n[^long]: Long\n\n    with a paragraph.',
  'https://alone.example/card\n\nInline $x^2$ and\n\n$$\n\\sum_i i\n$$',
  '---\ntitle: not a front matter\n---\n\nText',
  '\n\n  leading and trailing spaces  \n\n\t\ttabs\n',
  'Emoji 👩‍🚀, right to left עברית, combining é, <b>no HTML</b> &amp; \\* escapes\r\nWindows lines\r\n',
]
const currencies = [
  { priceCurrency: 'XNO', priceAtomic: `25${'0'.repeat(28)}` },
  { priceCurrency: 'XNO', priceAtomic: '123456789012345678901234567890' },
  { priceCurrency: 'USDC', priceAtomic: '250000' },
] as const
const methods = ['human', 'ai_assisted', 'ai_generated', 'autonomous_agent'] as const

function postNumber(index: number) {
  const text = features[index % features.length]!
  const isPaid = index % 3 === 0
  const hasImage = index % 10 === 0
  return {
    title: `Post ${index}: ${['plain', 'ünï', '深海', '"quoted": #1', "it's"][index % 5]}`,
    description: index % 4 === 0 ? '' : `About "${index}": a # line`,
    freeContentMarkdown: hasImage ? `${text}\n\n![An image](image:cover "A caption")` : text,
    ...(isPaid && {
      paidContentMarkdown: `${features[(index + 3) % features.length]}\n${index}`,
      enablePaywall: true,
      ...currencies[(index / 3) % 3],
    }),
    category: ['technology', 'science', 'other'][index % 3],
    language: ['en', 'de-CH', 'zh-Hant'][index % 3],
    creationMethod: methods[index % 4],
    creationDetails: index % 7 === 0 ? 'With a "model"' : null,
    creationAttested: true,
    tags: Array.from({ length: index % 5 }, (_, tag) => `Tag ${(index + tag) % 20}`),
    commentsEnabled: index % 11 !== 0,
    math: index % 10 === 6,
    searchPaidContent: index % 13 !== 0,
    canonicalUrl: index % 17 === 0 ? `https://first.example/${index}` : null,
  }
}

test(`${count} posts are exported and imported into another instance with the same content`, async (t) => {
  const old = await createWorld(t)
  const author = await payable(await old.creator({ name: 'Ada', handle: 'ada_l' }))
  // In steps: the runner ends a file in which nothing ends for five minutes.
  for (let from = 0; from < count; from += count / 10)
    await t.test(`${count / 10} posts from ${from} on are published`, async () => {
      for (let index = from; index < from + count / 10; index += 1) {
        const { id } = await publish(author, postNumber(index))
        if (index % 10 === 0) equal((await sendImage(author.publisher, id)).status, 202)
        if (index % 60 === 0)
          equal((await uploadZip(author.publisher, id, smallZip(), { filename: `files ${index}.zip` })).status, 200)
        if (index % 10 === 0) await old.runJobs()
        // Each has its own date, so the limits of a day stay far away.
        await old.advance(1_800)
      }
    })
  await old.runJobs()
  await signsIn(old, author)
  await old.advance(61)
  const exporting = performance.now()
  const archive = await exportedArchive(t, old, author)
  const exported = performance.now()

  const fresh = await createWorld(t)
  await fresh.advance(count * 1_800)
  const importer = await payable(await fresh.creator({ name: 'Ada', handle: 'ada_l' }))
  const choices = { now: fresh.services.clock.now() }
  const report = await importsArchive(fresh, importer, archive, { choices })
  await fresh.runJobs()
  const imported = performance.now()
  deepEqual(
    [report.totals.created, report.totals.refused, report.totals.drafts, report.totals.filesFailed],
    [count, 0, 0, 0],
    JSON.stringify(
      report.posts
        .filter(({ outcome, status, notes }) => outcome !== 'created' || status !== 'published' || notes.length > 0)
        .slice(0, 5),
    ),
  )
  const [before, after] = [await postsOf(author), await postsOf(importer)]
  equal(before.size, count)
  for (const [title, post] of before) deepEqual(contentOf(after.get(title)!), contentOf(post), title)
  // Nobody was notified.
  const { rows } = await fresh.services.pool.query("SELECT FROM notifications WHERE kind = 'new_post'")
  equal(rows.length, 0)
  const params = { postId: after.get(postNumber(10).title)!.id }
  ok((await importer.publisher.calls(getPost, { params })).body.importedAt)

  const again = await importsArchive(fresh, importer, archive, { choices })
  equal(again.totals.unchanged, count)
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
  t.diagnostic(
    `exported in ${seconds(exporting, exported)} s, imported in ${seconds(exported, imported)} s, second run ${seconds(imported, performance.now())} s`,
  )
})
