import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../free-port.ts'
import { tampered } from '../tampered.ts'
import { sharedWorld } from '../world.ts'
import { cliFor, typesCodeOf } from './cli.fixture.ts'

test('signing in with a code by email, and out again', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world)
  const { email, handle } = await world.creator()
  equal((await cli(['whoami'])).exitCode, 3)
  const signedIn = await cli(['login', email, '--json'], { meanwhile: typesCodeOf(world, email) })
  equal(signedIn.exitCode, 0, signedIn.stderr)
  deepEqual([signedIn.json.handle, signedIn.json.email, signedIn.json.isSignedIn], [handle, email, true])
  match((await cli(['whoami'], { env: { PENNYPOST_URL: '' } })).stdout, new RegExp(`@${handle}\\)\\n`))
  // Another profile, and another service, know nothing of it.
  equal((await cli(['whoami', '--profile', 'other'])).exitCode, 3)
  equal((await cli(['whoami', '--url', cli.address])).exitCode, 3)
  await everythingIsPrivate(join(cli.folder, 'config'))
  deepEqual((await cli(['logout', '--json'])).json.signedOut, true)
  equal((await cli(['whoami'])).exitCode, 3)
})

test('saving a publishing key from a file or standard input; a wrong one is not saved', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world)
  const { publisher, handle } = await world.creator()
  const key = publisher.token!
  const wrong = await cli(['login', '--key-file', '-', '--json'], { input: `${tampered(key)}\n` })
  deepEqual([wrong.exitCode, wrong.json.error.exitCode], [3, 3])
  equal((await cli(['whoami'])).exitCode, 3)
  await writeFile(join(cli.folder, 'key.txt'), `${key}\n`)
  const saved = await cli(['login', '--key-file', 'key.txt'])
  equal(saved.exitCode, 0)
  match(saved.stderr, /others can read .*chmod 600/)
  const known = await cli(['whoami', '--json'])
  deepEqual([known.json.handle, known.json.hasKey, known.json.isSignedIn], [handle, true, false])
  for (const { stdout, stderr } of [wrong, saved, known]) ok(!(stdout + stderr).includes(key.split('_')[2]!))
  const fromEnvironment = await cli(['whoami', '--profile', 'other', '--json'], { env: { PENNYPOST_KEY: key } })
  equal(fromEnvironment.json.handle, handle)
})

test('a service that does not answer is exit code 7', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world)
  const env = {
    PENNYPOST_KEY: `svcpk_aaaaaaaaaaaa_${'b'.repeat(49)}`,
    PENNYPOST_URL: `http://127.0.0.1:${await freePort()}`,
  }
  const { exitCode, json } = await cli(['whoami', '--json'], { env })
  deepEqual([exitCode, json.error.code], [7, 'network-error'])
  match(json.error.hints.join(), /ECONNREFUSED 127\.0\.0\.1:\d+,Check the URL/)
})

async function everythingIsPrivate(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  ok(entries.some((entry) => entry.isFile()))
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name))
    equal(mode & 0o077, 0, entry.name)
  }
  ok(await readFile(join(folder, 'profiles', 'default', 'profile.json'), 'utf8'))
}
