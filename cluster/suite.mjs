// Tests of the API that are harder with several processes: a change in one must be visible in the others.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, send } from '../contract/dist/client.js'
import { contract } from '../contract/dist/contract.js'
import { Pennypost } from '../sdk/dist/index.js'
import { nanoSigner } from '../sdk/dist/nano.js'
import { zip } from '../server/dist/uploads/uploads.fixture.js'
import { refuseWrongCredentials } from './credentials.mjs'
import { fetchFrom, openNanoNetwork, publish, register, until } from './people.mjs'
import { picture } from './picture.mjs'

const price = 10n ** 28n
const xno = (raw) => String(Number(raw / 10n ** 24n) / 1e6)

/** Runs every test against the cluster. Returns the names of those that failed. */
export async function runSuite(cluster, log = console.log) {
  const network = openNanoNetwork(cluster.parts.nano)
  const ada = await register(cluster)
  const earnings = network.wallet()
  await ada.session.savePayoutAddress({ body: { payoutAddress: earnings.address } })
  const world = { cluster, network, ada, earnings, webs: cluster.processes.filter(({ kind }) => kind === 'web') }
  const failed = []
  for (const [name, test] of Object.entries(tests)) {
    const began = Date.now()
    try {
      await test(world)
      log(`✔ ${((Date.now() - began) / 1_000).toFixed(1)} s  ${name}`)
    } catch (error) {
      failed.push(name)
      log(`✖ ${name}\n${error.stack}`)
    }
  }
  network.close()
  return failed
}

const anonymous = (baseUrl) => createClient(contract, { baseUrl, fetch: fetchFrom() })

const titleOf = async (client, postId) =>
  (await client.getPublicPost({ params: { postId } }).catch(() => undefined))?.body.title

const tests = {
  'a post that one process publishes is in the lists, the search and the page of each other': async ({ ada, webs }) => {
    const word = `zythum${randomUUID().slice(0, 8)}`
    const postId = await publish(ada, { title: `On ${word}` })
    for (const { origin } of webs) {
      const client = anonymous(origin)
      await until('it is found', async () => (await client.listPublicPosts({ query: { q: word } })).body.total === 1, {
        withinMs: 5_000,
      })
      // What is not signed in may be read from the replica.
      await until('it can be read', async () => (await titleOf(client, postId)) === `On ${word}`)
      await until('it has a page', async () => (await (await fetch(`${origin}/posts/${postId}`)).text()).includes(word))
    }
  },

  'the same request at two processes at the same time is done once': async ({ ada, webs }) => {
    const idempotencyKey = randomUUID()
    const body = { label: 'Twice' }
    const ask = (baseUrl) =>
      createClient(contract, { baseUrl, token: ada.tokens.accessToken }).issueKey({ idempotencyKey, body })
    const replies = await Promise.allSettled(webs.map(({ origin }) => ask(origin)))
    const issued = new Set(replies.flatMap(({ value }) => (value ? [JSON.stringify(value.body)] : [])))
    equal(issued.size, 1)
    const { keys } = (await ada.session.listKeys({})).body
    equal(keys.filter(({ label }) => label === 'Twice').length, 1)
  },

  'an image and a ZIP that one process took are served by the others': async ({ cluster, ada, webs }) => {
    const pennypost = new Pennypost({ baseUrl: cluster.origin, publishingKey: ada.key, fetch: ada.fetch })
    const draft = await pennypost.drafts.create({
      title: 'With files',
      paidContentMarkdown: 'More.',
      price: { amount: '0.1', asset: 'XNO' },
    })
    const image = await pennypost.images.upload(draft.id, 'engine', new Blob([await picture()]), { type: 'image/png' })
    await pennypost.attachments.upload(draft.id, new Blob([zip({ 'notes.txt': 'Notes' })]), { filename: 'notes.zip' })
    for (const { origin } of webs) {
      const served = await fetch(origin + new URL(image.publicUrl).pathname)
      equal(served.status, 200)
      ok((await served.arrayBuffer()).byteLength > 50)
    }
    equal((await pennypost.attachments.list(draft.id)).attachments?.length ?? 1, 1)
  },

  'a reader buys with Nano, sees live that it was paid, and the author is paid out': async (world) => {
    const { cluster, network, ada, earnings } = world
    const postId = await publish(ada, { title: 'For sale', priceRaw: price })
    const reader = await register(cluster, 'Bob')
    const pennypost = new Pennypost({ baseUrl: cluster.origin, fetch: reader.fetch })
    await pennypost.session.use(reader.tokens)
    const { purchase, ephemeral_address: place } = await pennypost.purchases.create(postId)
    const wallet = await network.fundedWallet(2n * price)
    await wallet.sends(place.ephemeral_address, price)
    const seen = []
    for await (const { status } of pennypost.purchases.watch(purchase.id)) seen.push(status)
    equal(seen.at(-1), 'paid', seen.join())
    await until('the post can be read', async () => {
      const { body } = await reader.session.getAccess({ params: { postId } }).catch(() => ({ body: {} }))
      return body.paidContentMarkdown === 'the-secret-part'
    })
    await until('the author is paid', async () => (await network.client.receivable(earnings.address, 1n)).length > 0)
  },

  'an agent without an account pays by x402 with Nano': async ({ cluster, network, ada }) => {
    const postId = await publish(ada, { title: 'For agents', priceRaw: price })
    const wallet = await network.fundedWallet(2n * price)
    const agent = new Pennypost({
      baseUrl: cluster.origin,
      fetch: fetchFrom(),
      signers: {
        nano: nanoSigner({
          secretKey: Buffer.from(wallet.secretKey).toString('hex'),
          rpcUrl: cluster.parts.nano.rpcUrl,
        }),
      },
      spendingLimit: { perPayment: { XNO: '1' }, total: { XNO: '1' } },
    })
    const { post, payment } = await agent.posts.buy(postId)
    equal(post.paidContentMarkdown, 'the-secret-part')
    equal(payment.asset, 'XNO')
    equal(Number(payment.amount), Number(xno(price)))
  },

  'comments, reactions and follows reach the author, through any process': async ({ cluster, ada, webs }) => {
    const postId = await publish(ada, { title: 'Talked about' })
    const reader = await register(cluster, 'Eve')
    const at = (index) =>
      createClient(contract, { baseUrl: webs[index].origin, token: reader.tokens.accessToken, fetch: reader.fetch })
    await at(0).addComment({ params: { postId }, body: { content: 'Well said.' }, idempotencyKey: randomUUID() })
    await at(1).reactToPost({ params: { postId }, body: { reaction: 'heart' } })
    await until('the author is notified', async () => {
      const { body } = await ada.session.listNotifications({ query: {} })
      return JSON.stringify(body).includes('Talked about') || JSON.stringify(body).includes(postId)
    })
  },

  'only the signer has the keys': async ({ cluster }) => {
    for (const { kind, name, pid } of cluster.processes) {
      const environment = readFileSync(`/proc/${pid()}/environ`, 'latin1')
      equal(environment.includes('NANO_SEED='), kind === 'signer', name)
      equal(existsSync(join(cluster.folder, name, 'nano-seed')), false, name)
    }
  },

  'rate limits hold across processes': async ({ webs }) => {
    const fetch = fetchFrom()
    const { searches } = await import('../contract/dist/discovery.js')
    let refused = 0
    for (let sent = 0; sent < searches.max + 6; sent += 1) {
      const reply = await fetch(`${webs[sent % webs.length].origin}/api/posts?q=limit${sent}`)
      await reply.arrayBuffer()
      if (reply.status === 429) refused += 1
    }
    equal(refused, 6)
  },

  'a session that one process renewed is known to the others, and the old token is not': async ({ cluster, webs }) => {
    const { tokens, fetch } = await register(cluster, 'Fay')
    const refresh = (baseUrl, refreshToken) =>
      send(contract.refreshSession, { body: { refreshToken } }, { baseUrl, fetch })
    const first = await refresh(webs[0].origin, tokens.refreshToken)
    equal(first.status, 200)
    const second = await refresh(webs[1].origin, first.body.refreshToken)
    equal(second.status, 200)
    const me = await createClient(contract, { baseUrl: webs[2].origin, token: second.body.accessToken, fetch }).getMe(
      {},
    )
    equal(me.status, 200)
  },

  'every operation refuses every wrong credential, whichever process is asked': async ({ cluster }) => {
    ok((await refuseWrongCredentials(cluster)) > 500)
  },

  'all web processes are replaced one after the other, and no request fails': async ({ cluster, ada, webs }) => {
    const outcomes = {}
    let isOver = false
    const repeat = async (ask) => {
      while (!isOver) {
        const outcome = await ask().then(
          ({ status }) => status,
          (error) => error.cause?.message ?? error.message,
        )
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
    }
    const read = () => fetch(`${cluster.origin}/api/posts`).then((reply) => reply.arrayBuffer().then(() => reply))
    const write = () => ada.author.updateProfile({ body: { bio: `Version ${randomUUID()}` } })
    const asking = [repeat(read), repeat(read), repeat(write)]
    for (const web of webs) {
      await web.stop()
      await web.start()
      // Until the balancer has noticed.
      await until('it gets requests', () => fetch(`${web.origin}/readyz`).then(({ status }) => status === 200))
      await new Promise((resolve) => setTimeout(resolve, 1_500))
    }
    isOver = true
    await Promise.all(asking)
    deepEqual(Object.keys(outcomes), ['200'], JSON.stringify(outcomes))
  },

  'the standby takes over from a primary that died, with everything that was acknowledged': async ({
    cluster,
    ada,
  }) => {
    const before = await publish(ada, { title: 'Before the takeover' })
    const dead = cluster.postgres.primary()
    await dead.kill()
    const after = await until('publishing works again', () =>
      publish(ada, { title: 'After the takeover' }).catch(() => undefined),
    )
    for (const postId of [before, after])
      await until('it can be read', () => titleOf(anonymous(cluster.origin), postId))
    ok(cluster.postgres.primary() !== dead)
    await until('there is a standby again', () => cluster.postgres.standby().isRunning())
  },
}
