import { equal, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { getPost, listPosts } from '@pennypost/contract/posts'
import { payable } from '../../posts/posts.fixture.ts'
import { picture } from '../../uploads/uploads.fixture.ts'
import { sharedWorld } from '../world.ts'
import { cliFor, type RunningCli } from './cli.fixture.ts'

test('a push that is killed at any moment leaves the file whole, and the next one continues with the same draft', async (t) => {
  const world = await sharedWorld(t)
  const creator = await payable(await world.creator())
  const cli = await cliFor(t, world, { PENNYPOST_KEY: creator.publisher.token! })
  const file = join(cli.folder, 'post.md')
  const images = await Promise.all([11, 12, 13, 14].map((size) => picture('png', size)))
  for (const [index, image] of images.entries()) await writeFile(join(cli.folder, `${index}.png`), image)
  const text = `---\ntitle: A post\n---\n\n${images.map((_, index) => `![x](${index}.png)`).join('\n\n')}\n`
  await writeFile(file, text)
  let kills = 0
  // Each time a little later. The service goes on meanwhile.
  for (let delay = 150; ; delay += 40) {
    const startedAt = Date.now()
    let isKilled = false
    const meanwhile = async ({ kill }: RunningCli) => {
      await world.runJobs()
      if (isKilled || Date.now() - startedAt < delay) return
      isKilled = true
      kill('SIGKILL')
    }
    const { exitCode, stderr } = await cli(['post', 'push', 'post.md'], { meanwhile })
    const rest = (await readFile(file, 'utf8')).split('\n').filter((line) => !/^(id|revision): /.test(line))
    equal(rest.join('\n'), text)
    if (exitCode !== null) {
      equal(exitCode, 0, stderr)
      break
    }
    kills += 1
  }
  ok(kills > 2)
  const { data, total } = (await creator.publisher.calls(listPosts, {})).body
  equal(total, 1)
  const { body } = await creator.publisher.calls(getPost, { params: { postId: data[0].id } })
  equal(body.freeContentMarkdown.match(/image:\d-[0-9a-f]{16}/g).length, 4)
})
