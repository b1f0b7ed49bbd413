import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import { readConfig } from '../../config.ts'
import { startAnvil } from '../../development/base-chain/anvil.ts'
import { findAnvil } from '../../development/base-chain/anvil-program.ts'
import { developmentSettlerKey, fillChain, mintUsdc } from '../../development/base-chain/chain-contents.ts'
import { createLog } from '../../platform/log.ts'
import { baseChainId } from '../../rails/base/base-chain-id.ts'
import type { CallChain } from '../../rails/base/embedded-chain.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { startFacilitator } from '../../test/facilitator-process.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import { freePort } from '../../test/free-port.ts'
import { type NanoNetworkUnderTest, openNanoNetwork } from '../../test/nano-network.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import { type Running, startProcess } from '../../test/service-process.ts'
import { emptyTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'

export const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const usdcPrice = 250_000n

/** Two processes of the service, their database, a chain, a Nano ledger, a facilitator: each can be stopped separately. */
export interface Deployment {
  readonly database: TestDatabase
  readonly settings: Readonly<Record<string, string>>
  readonly baseNode: FaultyNode
  readonly nanoNode: FaultyNode
  readonly network: NanoNetworkUnderTest
  readonly call: CallChain
  /** Where the creator is paid. */
  readonly payTo: Hex
  readonly earnings: NanoWallet
  readonly postIds: readonly string[]
  /** The URLs of the service's processes, some of which may be down. */
  readonly origins: readonly string[]
  /** From now on a block a second, and what waits for one can get lost. */
  mineEverySecond(): Promise<void>
  restartChain(): Promise<void>
  /** Restarts all processes with this way to settle. */
  settleBy(way: 'own' | 'remote'): Promise<void>
  /** Kills a process, which starts again after this time. */
  killService(index: number, awayMs: number): Promise<void>
  killFacilitator(awayMs: number): Promise<void>
}

export async function openDeployment(t: TestContext): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-chaos-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const database = await emptyTestDatabase()
  const chain = await openChain(t, folder)
  const network = await openNanoNetwork(t)
  const baseNode = await createFaultyNode(t, { rpcUrl: chain.rpcUrl })
  const nanoNode = await createFaultyNode(t, network)
  t.after(() => database.drop())
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    BASE_URL: 'http://pennypost.test',
    LOG_LEVEL: 'silent',
    NANO_NETWORK: 'dev',
    NANO_SEED: 'a5'.repeat(32),
    RATES_STATIC: 'XNO=1.25,USDC=1',
  }
  const nodes = { NANO_RPC_URL: nanoNode.rpcUrl, NANO_WS_URL: nanoNode.wsUrl, BASE_RPC_URL: baseNode.rpcUrl }
  const [facilitatorPort, ...ports] = [await freePort(), await freePort(), await freePort()]
  const facilitator = { rpcUrl: chain.rpcUrl, port: facilitatorPort!, lossy: 5 }
  let remoteFacilitator = await startFacilitator(t, facilitator)
  const ways = {
    own: { BASE_SETTLER_KEY: developmentSettlerKey },
    remote: { FACILITATOR_URL: `http://127.0.0.1:${facilitatorPort}` },
  }
  let way: keyof typeof ways = 'own'
  const start = async (index: number) => {
    const started = await startProcess(t, { ...settings, ...nodes, ...ways[way], PORT: String(ports[index]) })
    if (started.child.exitCode !== null) throw new Error(`a process did not start: ${started.output()}`)
    return started
  }
  // One after the other, because the first creates the tables.
  const running: Running[] = [await start(0), await start(1)]
  const origins = running.map(({ origin }) => origin)
  const payTo = createBaseWallet().address
  const earnings = network.wallet()
  const postIds = await opensShop(origins[0]!, payTo, earnings.address)
  return {
    database,
    baseNode,
    nanoNode,
    network,
    call: chain.call,
    payTo,
    earnings,
    postIds,
    origins,
    mineEverySecond: chain.mineEverySecond,
    restartChain: chain.restart,
    // Connected directly, without the faulty nodes.
    settings: { ...settings, ...ways.own, BASE_RPC_URL: chain.rpcUrl, NANO_RPC_URL: network.rpcUrl },
    async settleBy(next) {
      way = next
      for (const process of running) await process.end('SIGTERM')
      for (const index of running.keys()) running[index] = await start(index)
    },
    async killService(index, awayMs) {
      await running[index]!.end('SIGKILL')
      await wait(awayMs)
      running[index] = await start(index)
    },
    async killFacilitator(awayMs) {
      remoteFacilitator.kill('SIGKILL')
      await wait(awayMs)
      remoteFacilitator = await startFacilitator(t, facilitator)
    },
  }
}

async function openChain(t: TestContext, folder: string) {
  const program = (await findAnvil())!
  const state = join(folder, 'chain.json')
  let anvil = await startAnvil({ program, port: 0, chainId: baseChainId, dumpStateAtEndTo: state })
  t.after(() => anvil.stop())
  const { port } = anvil
  const call: CallChain = (method, ...params) => anvil.call(method, ...params)
  await fillChain(call, usdc)
  const mineEverySecond = async () => {
    await call('evm_setAutomine', false)
    await call('evm_setIntervalMining', 1)
  }
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    call,
    mineEverySecond,
    /** What is in a block stays, what waits for one is lost. */
    async restart() {
      await anvil.stop()
      const where = { loadStateFrom: state, dumpStateAtEndTo: state }
      anvil = await startAnvil({ program, port, chainId: baseChainId, ...where })
      await mineEverySecond()
    },
  }
}

export const mint = (deployment: Pick<Deployment, 'call'>, to: string, amount: bigint) =>
  mintUsdc(deployment.call, usdc, to, amount)

/** Registers an author who sells two posts at the same price. */
export async function opensShop(baseUrl: string, payTo: Hex, nanoAddress: string): Promise<string[]> {
  let token: string | undefined
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl, token: () => token })
  const registrationId = randomUUID()
  const email = `${registrationId}@example.com`
  const body = { email, name: 'Ada', handle: `ada_${registrationId.slice(0, 8)}`, acceptedTerms: true as const }
  await client.startRegistration({ idempotencyKey: registrationId, body })
  const code = await until('the code is mailed', async () => {
    const { body } = await client.readCapturedMail({ query: { to: email } })
    return (body as { messages: { code: string | null }[] }).messages[0]?.code
  })
  token = (await client.verifyRegistration({ params: { registrationId }, body: { code: code! } })).body.accessToken
  await client.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await client.saveBasePayoutAddress({ body: { payoutAddress: payTo } })
  token = (await client.issueRegistrationKey({ params: { registrationId }, body: {} })).body.key
  const post = {
    title: 'On engines',
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'the-secret-part',
    enablePaywall: true,
    priceCurrency: 'USDC' as const,
    priceAtomic: String(usdcPrice),
    category: 'technology',
    language: 'en',
    creationMethod: 'human' as const,
    creationAttested: true,
  }
  const postIds: string[] = []
  for (let index = 0; index < 2; index += 1) {
    const { id: postId } = (await client.createPost({ body: post })).body
    await client.publishPost({ params: { postId } })
    postIds.push(postId)
  }
  return postIds
}

export const configOf = ({ settings }: Deployment) => readConfig({ ...settings })
export const silence = createLog('silent')
