import { deepEqual, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@pennypost/contract/client'
import { contract } from '@pennypost/contract/contract'
import { price } from '../payments/market.fixture.ts'
import { withClient } from '../platform/backup/tables.ts'
import { openNanoNetwork } from '../test/nano-network.ts'
import { folderFor, type Running, register, startProcess } from '../test/service-process.ts'
import { emptyTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'

type Settings = Record<string, string>

const runProgram = promisify(execFile)

/** Runs a command as an operator would. */
const runs = (command: string, settings: Settings, ...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const program = fileURLToPath(new URL('../../../cli/bin/pennypost.mjs', import.meta.url))
    const yes = command === 'restore' ? ['--yes'] : []
    const env = { PATH: process.env.PATH, ...settings }
    execFile(process.execPath, [program, command, ...args, ...yes], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })

test('a backup of a running service is restored in another folder and in another database', async (t) => {
  const network = await openNanoNetwork(t)
  const [wallet, earnings] = [await network.fundedWallet(100n * price), network.wallet()]
  const [folder, external] = [await folderFor(t), await emptyTestDatabase()]
  const settings = {
    BASE_URL: 'http://pennypost.test',
    NANO_RPC_URL: network.rpcUrl,
    NANO_WS_URL: network.wsUrl,
    NANO_NETWORK: 'dev',
  }
  const place = (name: string) => ({ ...settings, DATA_DIR: join(folder, name) })
  const [first, second, third] = [place('first'), place('second'), { ...place('third'), DATABASE_URL: external.url }]
  const backup = join(folder, 'backup')

  let service = await startProcess(t, first)
  t.after(() => external.drop())
  match(service.output(), /Pennypost is ready/)
  const clientOf = ({ accessToken }: { accessToken: string }, { origin }: Running = service) =>
    createClient(contract, { baseUrl: origin, token: accessToken })
  const author = await register(service.origin)
  await clientOf(author).savePayoutAddress({ body: { payoutAddress: earnings.address } })
  const publisher = createClient(contract, { baseUrl: service.origin, token: author.key })
  const { id: postId } = (
    await publisher.createPost({
      body: {
        title: 'On engines',
        freeContentMarkdown: 'Free',
        paidContentMarkdown: 'Paid\n\\\ttext',
        enablePaywall: true,
        priceCurrency: 'XNO',
        priceAtomic: String(price),
        category: 'technology',
        language: 'en',
        creationMethod: 'human',
        creationAttested: true,
      },
    })
  ).body
  await publisher.publishPost({ params: { postId } })
  const order = async (buyer: { accessToken: string }) => {
    const { body } = await clientOf(buyer).createPurchase({ body: { postId }, idempotencyKey: randomUUID() })
    return { id: body.purchase.id, address: body.ephemeral_address.ephemeral_address }
  }
  const pays = async (address: string) => network.untilConfirmed(await wallet.sends(address, price))
  const isPaid = async (buyer: { accessToken: string }, purchaseId: string) =>
    (await clientOf(buyer).getPurchase({ params: { purchaseId } })).body.status === 'paid'
  const buys = async (buyer: { accessToken: string }) => {
    const { id, address } = await order(buyer)
    await pays(address)
    await until('it is paid', () => isPaid(buyer, id))
  }
  const mayRead = async (buyer: { accessToken: string }) =>
    (await clientOf(buyer).getAccess({ params: { postId } })).status === 200
  const [early, late, unseen] = [
    await register(service.origin),
    await register(service.origin),
    await register(service.origin),
  ]
  await buys(early)
  await mkdir(join(first.DATA_DIR, 'objects/specimen'), { recursive: true })
  await writeFile(join(first.DATA_DIR, 'objects/specimen/a'), 'bytes')

  const taken = await runs('backup', first, backup)
  equal(taken.code, 0, taken.output)
  match(taken.output, /^Backed up \d+ rows of \d+ tables and \d+ files/)
  const again = await runs('backup', first, backup)
  deepEqual([again.code, /is not empty/.test(again.output)], [1, true])
  match(taken.output, /not encrypted/)
  for (const path of ['', 'backup.json', 'contents.json', 'files.tar', 'database/accounts.copy.gz'])
    equal((await stat(join(backup, path))).mode & 0o077, 0, path)
  // Its files are for the standard tools.
  const listed = (await runProgram('tar', ['tf', join(backup, 'files.tar')])).stdout.split('\n')
  deepEqual([listed.includes('nano-seed'), listed.some((name) => /^(postgres|lock|tmp)/.test(name))], [true, false])

  // What the backup does not have: a sale, a payment that nobody has seen, and a buyer who is new.
  await buys(late)
  const stranger = await register(service.origin)
  const [lastOrder, strangersOrder] = [await order(unseen), await order(stranger)]
  await service.end('SIGKILL')
  await pays(lastOrder.address)
  await pays(strangersOrder.address)

  // In another folder, with the journal of the first.
  await mkdir(second.DATA_DIR)
  await cp(join(first.DATA_DIR, 'journal'), join(second.DATA_DIR, 'journal'), { recursive: true })
  const restored = await runs('restore', second, backup)
  equal(restored.code, 0, restored.output)
  match(restored.output, /^Restored \d+ rows/m)
  match(restored.output, /^2 recovered, 1 sent back, 0 need a person/m)
  const twice = await runs('restore', second, backup)
  deepEqual([twice.code, /the database is not empty/.test(twice.output)], [1, true])
  service = await startProcess(t, second)
  match(service.output(), /Pennypost is ready/)
  deepEqual([await mayRead(early), await mayRead(late), await mayRead(unseen)], [true, true, true])
  const { body } = await clientOf(early).getAccess({ params: { postId } })
  match(JSON.stringify(body), /Paid/)
  const books = await runs('audit', second)
  deepEqual([books.code, /no findings/.test(books.output)], [0, true], books.output)
  equal(await service.end('SIGTERM'), 0)
  equal(await readFile(join(second.DATA_DIR, 'objects/specimen/a'), 'utf8'), 'bytes')
  equal(await wallet.receives(), price)

  // A database that is not there leaves no empty folder.
  const nowhere = { DATA_DIR: join(folder, 'nowhere'), DATABASE_URL: 'postgresql://127.0.0.1:1/away' }
  equal((await runs('restore', nowhere, backup)).code, 1)
  equal(existsSync(nowhere.DATA_DIR), false)

  // What fails, or is killed, while the database is loaded leaves all files there. The next attempt completes it.
  await withClient(external.url, (client) => client.query('CREATE TABLE accounts (taken integer)'))
  equal((await runs('restore', third, backup)).code, 1)
  equal(await readFile(join(third.DATA_DIR, 'objects/specimen/a'), 'utf8'), 'bytes')
  await withClient(external.url, (client) => client.query('DROP TABLE accounts'))

  // In an external database, without a journal at first: then the command to recover has something to do.
  const moved = await runs('restore', third, backup)
  equal(moved.code, 0, moved.output)
  match(moved.output, /^0 recovered, 0 sent back, 0 need a person/m)
  // Not the stranger's order, which the other service has sent back: on one chain only one of them can be right about it.
  for (const name of await readdir(join(first.DATA_DIR, 'journal'))) {
    const lines = (await readFile(join(first.DATA_DIR, 'journal', name), 'utf8')).split('\n')
    const kept = lines.filter((line) => !line.includes(strangersOrder.id))
    await writeFile(join(third.DATA_DIR, 'journal', name), kept.join('\n'))
  }
  const lost = await runs('recover', third, '--dry-run')
  deepEqual([lost.code, lost.output.match(/^lost: /gm)?.length], [0, 2], lost.output)
  const recovered = await runs('recover', third)
  equal(recovered.code, 0, recovered.output)
  match(recovered.output, /2 recovered, 0 sent back, 0 need a person/)
  service = await startProcess(t, third)
  deepEqual([await mayRead(early), await mayRead(late), await mayRead(unseen)], [true, true, true])
  const other = await runs('audit', third)
  deepEqual([other.code, /no findings/.test(other.output)], [0, true], other.output)
  equal(await service.end('SIGTERM'), 0)

  // A backup that is damaged is not restored, and not a half one.
  await appendFile(join(backup, 'files.tar'), 'x')
  const damaged = await runs('restore', place('fourth'), backup)
  deepEqual([damaged.code, /files\.tar is damaged/.test(damaged.output)], [1, true])
})
