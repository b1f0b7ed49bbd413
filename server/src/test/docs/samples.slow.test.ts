import { deepEqual, equal, match } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Program, redirectUri } from '../../oauth/oauth.fixture.ts'
import { price } from '../../payments/market.fixture.ts'
import { zip } from '../../uploads/uploads.fixture.ts'
import { fundedSeed } from '../funded-seed.ts'
import { type GuideService, openGuideService, quickStart, reasonToSkip } from './guide-service.fixture.ts'
import { runHere } from './sample-runs.ts'
import { type Language, languages } from './samples.ts'

// Every sample of the guides that is listed in sample-runs.ts, in every language.

async function publishWithAnAgent({ run, origin }: GuideService, language: Language) {
  match(await run('publish-with-an-agent.md', 'Say that it is an agent', language), /agent/)
  const url = await run('publish-with-an-agent.md', 'Publish something for sale', language)
  match(url, new RegExp(`^${origin}/posts/[0-9a-f-]{36}\\n$`))
  match(await run('publish-with-an-agent.md', 'See how it is read', language), /"readers": ?\d/)
}

async function sellFiles({ market, run, origin, folder }: GuideService, language: Language) {
  // Another file each time: an author cannot upload the same bytes to two posts with one key.
  await writeFile(join(folder, 'drawings.zip'), zip({ 'engine.txt': `A drawing for ${language}` }))
  const id = (await run('sell-files.md', 'Write the post', language)).trim()
  match(id, /^[0-9a-f-]{36}$/)
  const env = { POST_ID: id }
  match(await run('sell-files.md', 'Attach the file', language, env), /drawings\.zip/)
  match(await run('sell-files.md', 'Publish it', language, env), new RegExp(`^${origin}/posts/${id}\\n$`))
  const { rows } = await market.world.services.pool.query('SELECT FROM attachments WHERE post_id = $1', [id])
  equal(rows.length, 1)
}

async function payAsAnAgent({ market, run }: GuideService, language: Language) {
  const env = { POST_ID: market.postId }
  await market.world.runJobs()
  match(await run('pay-as-an-agent.md', 'Find something', language), new RegExp(market.postId))
  match(await run('pay-as-an-agent.md', 'See what it costs', language, env), new RegExp(`${price}`))
  let isPaid = false
  const printed = await run(
    'pay-as-an-agent.md',
    'Pay with a wallet that can only send',
    language,
    env,
    async (text) => {
      const [, address, amount] = /nano:(nano_\w+)\?amount=(\d+)/.exec(text) ?? []
      if (address && !isPaid) {
        isPaid = true
        await market.pays(address, BigInt(amount!))
        await market.checkAddresses()
      }
      await market.world.runJobs()
    },
  )
  match(printed, /^Send with your wallet: nano:.*\nthe-secret-part\n$/)
}

const guides = { quickStart, publishWithAnAgent, sellFiles, payAsAnAgent }

async function payWithASigner({ market, run }: GuideService) {
  const env = { POST_ID: market.postId, NANO_SEED: await fundedSeed(market.network), NANO_NODE: market.network.rpcUrl }
  equal(await run('pay-as-an-agent.md', 'Pay with a signer', 'js', env), 'the-secret-part\n')
}

async function webhooks({ market, run }: GuideService) {
  const SESSION = market.creator.owner.token!
  match(await run('webhooks.md', 'Create one', 'sh', { SESSION }), /"secret":"whsec_/)
  equal(await run('webhooks.md', 'Receive', 'js'), 'true false\n')
}

const ghostPost = {
  id: '5f0000000000000000000001',
  uuid: '7d2a6d1c-58c7-4f3e-a5a9-1f0e0f6f7c11',
  title: 'From Ghost',
  slug: 'from-ghost',
  html: '<p>Hello from the old site.</p>',
  status: 'published',
  type: 'post',
  visibility: 'public',
  created_at: '2020-01-02T03:04:05.000Z',
  updated_at: '2020-01-02T03:04:05.000Z',
  published_at: '2020-01-02T03:04:05.000Z',
}

async function moveHere({ market, run, folder }: GuideService) {
  const data = { posts: [ghostPost], tags: [], posts_tags: [] }
  await writeFile(join(folder, 'ghost-export.json'), JSON.stringify({ db: [{ meta: { version: '5.0.0' }, data }] }))
  const SESSION = market.creator.owner.token!
  match(await run('moving.md', 'Bring posts along', 'js', { SESSION }), /created From Ghost\n$/)
}

async function dkimKey({ run, folder }: GuideService) {
  await run('operations.md', 'Email', 'sh')
  match(await readFile(join(folder, 'dkim.pem'), 'utf8'), /PRIVATE KEY/)
}

async function signInOfPrograms({ market: { world }, run, origin }: GuideService) {
  const registered = await run('oauth.md', 'Identify your program', 'sh', { BASE: origin })
  const program = new Program(world)
  program.clientId = JSON.parse(registered).client_id
  const CODE = await program.code(await world.reader())
  const env = { BASE: origin, CLIENT_ID: program.clientId, CODE, VERIFIER: program.verifier, REDIRECT_URI: redirectUri }
  const tokens = JSON.parse(await run('oauth.md', 'The steps', 'sh', env))
  deepEqual([tokens.token_type, tokens.scope], ['Bearer', 'read'])
}

const keyOf = ({ file, heading, language }: (typeof runHere)[number]) => `${file}: ${heading} (${language})`

test('the samples of the guides', async (t) => {
  const service = await openGuideService(t)
  for (const language of languages) {
    await t.test(`in ${language}`, { skip: reasonToSkip(language) }, async () => {
      for (const guide of Object.values(guides)) await guide(service, language)
    })
  }
  await t.test('paying with a signer', () => payWithASigner(service))
  await t.test('webhooks', () => webhooks(service))
  await t.test('moving here', () => moveHere(service))
  await t.test('sign-in of programs', () => signInOfPrograms(service))
  await t.test('a DKIM key', () => dkimKey(service))
  await t.test('none is left out', () => deepEqual([...service.done].sort(), runHere.map(keyOf).sort()))
  await service.market.later(10)
})
