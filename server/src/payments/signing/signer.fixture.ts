import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readConfig } from '../../config.ts'
import { createClosers } from '../../platform/closers.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics, type Metrics } from '../../platform/metrics.ts'
import { signNextBlock } from '../../rails/nano/custody/blocks.ts'
import { keyringFrom } from '../../rails/nano/custody/keyring.ts'
import { freePort } from '../../test/free-port.ts'
import { type Market, openMarket, price, quotes } from '../market.fixture.ts'
import { receiveArrivals } from '../receive-arrivals.ts'
import { createLocalSigner, type LocalSignerParts } from './local-signer.ts'
import { openSigner } from './open-signer.ts'

export const signerSecret = 'a secret that the processes share'.replaceAll(' ', '-')

export interface SignerUnderTest {
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
}

/** A market whose service has no seed, and its signer, which is not started yet. */
export async function openMarketWithSigner(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<Market & { readonly signer: SignerUnderTest }> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-signer-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const url = `http://127.0.0.1:${await freePort()}`
  const market = await openMarket(t, {
    isolation: 'own',
    settings: { NANO_SEED: '', SIGNER_URL: url, SIGNER_SECRET: signerSecret, ...settings },
  })
  const { databaseUrl } = market.world
  const config = readConfig({
    ROLE: 'signer',
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    NANO_SEED: randomBytes(32).toString('hex'),
    NANO_RPC_URL: market.network.rpcUrl,
    NANO_NETWORK: 'dev',
    SIGNER_SECRET: signerSecret,
  })
  let stop = async () => {}
  t.after(() => stop())
  return {
    ...market,
    signer: {
      url,
      async start() {
        const closers = createClosers({ hangMs: 5_000, onFailure: () => {} })
        const server = await openSigner(config, createLog('silent'), { databaseUrl, closers, dependencies: [] })
        await server.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
        stop = async () => {
          stop = async () => {}
          await server.close()
          await closers.closeAll()
        }
      },
      stop: () => stop(),
    },
  }
}

/** A market, and how a signer that others ask signs in it. */
export async function openAskedMarket(t: TestContext) {
  const market = await openMarket(t, { isBlind: true, isolation: 'own' })
  const { services } = market.world
  const keyring = keyringFrom(services.config.nano.seed!)
  const signs = (addressId: string, keys = keyring, destinations?: readonly string[]) => {
    const config = { ...services.config, signer: { ...services.config.signer, destinations: destinations as string[] } }
    const signer = createLocalSigner({ ...services, config, metrics: createMetrics(), keyring: keys, isAsked: true })
    return signNextBlock({ ...services, signer }, addressId)
  }
  return { ...market, keyring, signs }
}

/** Pays a new quote. Its money is noticed, and nothing is signed yet. Returns the id of its address. */
export async function paysQuote(
  { world, buyer, pays, network, ...market }: Market,
  amount = price,
  postId = market.postId,
) {
  const { address } = await quotes(buyer, postId)
  await network.untilConfirmed(await pays(address, amount))
  await receiveArrivals(world.services, address, undefined)
  const { rows } = await world.services.pool.query('SELECT id FROM nano_addresses WHERE address = $1', [address])
  return rows[0].id as string
}

/** Replaces the signer of a world by one with these limits. Returns its metrics. */
export function limits({ world }: Market, signer: Partial<LocalSignerParts['config']['signer']>): Metrics {
  const { services } = world
  const config = { ...services.config, signer: { ...services.config.signer, ...signer } }
  const keyring = keyringFrom(services.config.nano.seed!)
  const metrics = createMetrics()
  const limited = createLocalSigner({ ...services, config, metrics, keyring, isAsked: false })
  Object.assign(services, { signer: limited })
  return metrics
}
