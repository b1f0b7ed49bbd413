import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readConfig } from '../../config.ts'
import { createClosers } from '../../platform/closers.ts'
import { createLog } from '../../platform/log.ts'
import { freePort } from '../../test/free-port.ts'
import { type Market, openMarket } from '../market.fixture.ts'
import { openSigner } from './open-signer.ts'

export const signerSecret = 'a secret that the processes share'.replaceAll(' ', '-')

export interface SignerUnderTest {
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
}

/** A market whose service has no seed, and its signer, which is not started yet. */
export async function openMarketWithSigner(t: TestContext): Promise<Market & { readonly signer: SignerUnderTest }> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-signer-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const url = `http://127.0.0.1:${await freePort()}`
  const market = await openMarket(t, {
    isolation: 'own',
    settings: { NANO_SEED: '', SIGNER_URL: url, SIGNER_SECRET: signerSecret },
  })
  const databaseUrl = market.world.services.pool.options.connectionString!
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
        const server = await openSigner(config, createLog('silent'), databaseUrl, closers)
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
