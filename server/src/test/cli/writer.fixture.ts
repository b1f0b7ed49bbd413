import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { getPost } from '@pennypost/contract/posts'
import { payable } from '../../posts/posts.fixture.ts'
import { sharedWorld } from '../world.ts'
import { cliFor } from './cli.fixture.ts'

/** A creator who writes in files, with a publishing key. */
export async function writer(t: TestContext) {
  const world = await sharedWorld(t)
  const creator = await payable(await world.creator())
  const cli = await cliFor(t, world, { PENNYPOST_KEY: creator.publisher.token! })
  const path = (name: string) => join(cli.folder, name)
  const read = (name: string) => readFile(path(name), 'utf8')
  const remote = async (id: string) => (await creator.publisher.calls(getPost, { params: { postId: id } })).body
  const idIn = async (name: string) => /^id: "(.*)"$/m.exec(await read(name))![1]!
  return { world, creator, cli, path, read, remote, idIn }
}
