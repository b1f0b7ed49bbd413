import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { openUsdcMarket } from '../../access/x402/usdc-market.fixture.ts'
import { openMarket, price } from '../../payments/market.fixture.ts'
import { picture, zip } from '../../uploads/uploads.fixture.ts'
import { hasAnvil } from '../base-chain.ts'
import { fundedSeed } from '../funded-seed.ts'
import { resolvable, runProgram } from '../run-program.ts'
import { folderFor } from '../service-process.ts'
import type { World } from '../world.ts'

// Every program of sdk/README.md, word for word, as a separate process.

const root = fileURLToPath(new URL('../../../..', import.meta.url))

async function programs(): Promise<Map<string, string>> {
  const page = await readFile(join(root, 'sdk', 'README.md'), 'utf8')
  const found = new Map<string, string>()
  for (const part of page.split(/^## /m)) {
    const title = part.startsWith('# ') ? 'First' : part.split('\n')[0]!
    for (const [, code] of part.matchAll(/^```ts\n(.*?)^```/gms))
      found.set(found.has(title) ? `${title} (2)` : title, code!)
  }
  return found
}

interface Running {
  /** What the program loads first. */
  readonly first: string
  readonly env: Record<string, string>
  /** See `runProgram`. Runs the jobs of the service, for example. */
  readonly meanwhile: (printed: string, type: (text: string) => void) => Promise<void>
}

/** Runs a program until it ends, and returns what it printed. */
async function run(title: string, { first, env, meanwhile }: Running): Promise<string> {
  const code = (await programs()).get(title)
  ok(code, `the page has no program under "${title}"`)
  const { code: script } = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })
  return runProgram({
    name: `"${title}"`,
    command: [process.execPath, '--import', first, '--input-type=module', '-e', resolvable(script)],
    folder: env.FOLDER ?? root,
    env,
    timeoutMs: 120_000,
    meanwhile,
  })
}

/** The service of the page. Programs reach it where the world listens. */
const origin = 'https://pennypost.example'
const settings = { BASE_URL: origin }

/** Sends what goes to the service of the page to the one of the test. */
async function preload({ server }: World): Promise<string> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const script = `const { fetch } = globalThis
globalThis.fetch = (input, init) =>
  fetch(String(input).replace(${JSON.stringify(origin)}, 'http://127.0.0.1:${port}'), init)`
  return `data:text/javascript,${encodeURIComponent(script)}`
}

test('every program of the page is run here', async () => {
  deepEqual(
    [...(await programs()).keys()],
    [
      'First',
      'Publish a post',
      'Buy a post, without an account',
      'Buy a post, without an account (2)',
      'Sign in, and buy with any wallet',
      'Upload images and ZIP files',
      'Errors',
      'Every operation',
    ],
  )
})

test('reading, publishing, uploading, errors and operations', async (t) => {
  const { world, creator, postId } = await openMarket(t, { settings, isolation: 'own' })
  const first = await preload(world)
  const folder = await folderFor(t)
  await writeFile(join(folder, 'engine.png'), await picture())
  await writeFile(join(folder, 'drawings.zip'), zip({ 'engine.txt': 'A drawing' }))
  const env = { PENNYPOST_KEY: creator.publisher.token!, POST_ID: postId, FOLDER: folder }
  const meanwhile = () => world.runJobs()
  match(await run('Publish a post', { first, env, meanwhile }), /^Published: https:\/\/.*\n$/)
  await world.runJobs()
  match(await run('First', { first, env, meanwhile }), /^On compilers: https:\/\/\S+on-compilers\S*\n$/)
  equal(
    await run('Upload images and ZIP files', { first, env, meanwhile }),
    'sending 0 %\nsending 100 %\nchecking 100 %\nready 100 %\n',
  )
  match(await run('Errors', { first, env, meanwhile }), /^422 publication-blocked\n.*category /s)
  match(
    await run('Every operation', { first, env, meanwhile }),
    /^200 \d \d\n\[ '250000000000000000000000000000 on nano:mainnet' \]\n$/,
  )
})

test('buying and tipping with Nano, and starting again', async (t) => {
  const market = await openMarket(t, { settings, isolation: 'own' })
  const { world, postId, network } = market
  const first = await preload(world)
  const env = {
    POST_ID: postId,
    NANO_SEED: await fundedSeed(market.network),
    NANO_NODE: network.rpcUrl,
    STATE_FOLDER: await folderFor(t),
  }
  const title = 'Buy a post, without an account (2)'
  const meanwhile = () => world.runJobs()
  const expected = 'the-secret-part\nSpent today: 0.26 XNO\n'
  equal(await run(title, { first, env, meanwhile }), expected)
  equal(await run(title, { first, env, meanwhile }), expected, 'nothing is paid twice')
  await market.later(10)
})

test('signing in, and paying with any wallet', async (t) => {
  const { world, buyer, postId, pays, checkAddresses } = await openMarket(t, { settings, isolation: 'own' })
  const first = await preload(world)
  const env = {
    POST_ID: postId,
    EMAIL: buyer.email,
    STATE_FOLDER: await folderFor(t),
  }
  let isTyped = false
  let isPaid = false
  const printed = await run('Sign in, and buy with any wallet', {
    first,
    env,
    meanwhile: async (text, type) => {
      await world.runJobs()
      const [mail] = await world.mailTo(buyer.email)
      if (text.includes('The code in the email') && mail?.code && !isTyped) {
        isTyped = true
        type(`${mail.code}\n`)
      }
      const [, address] = /nano:(nano_\w+)/.exec(text) ?? []
      if (address && text.includes('pending') && !isPaid) {
        isPaid = true
        await pays(address, price)
        await checkAddresses()
      }
    },
  })
  match(printed, /pending\nreceived\n(received\n)*paid\nIn your library: On engines\n$/)
})

test('buying with USDC', { skip: !hasAnvil }, async (t) => {
  const market = await openUsdcMarket(t, { settings, isolation: 'own' })
  const { world, postId } = market
  const first = await preload(world)
  const { privateKey } = await market.fundedWallet()
  const env = { POST_ID: postId, WALLET_KEY: privateKey }
  const printed = await run('Buy a post, without an account', { first, env, meanwhile: () => world.runJobs() })
  match(printed, /^the-secret-part\nPaid 0.25 USDC, receipt verified: true\n$/)
  await market.later(10)
})
