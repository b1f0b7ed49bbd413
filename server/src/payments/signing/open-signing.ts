import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../platform/data-dir.ts'
import type { BaseParts } from '../../rails/base/open-base.ts'
import { tokenOf } from '../../rails/base/open-base.ts'
import { addressesFrom, type OwnAddresses } from '../../rails/nano/custody/keyring.ts'
import { openKeyring, verifyKeyring } from '../../rails/nano/custody/open-keyring.ts'
import { createRemoteAddresses } from '../../rails/signer/remote-addresses.ts'
import type { BlockSigner } from '../../rails/signer/signer.ts'
import { connectSigner } from '../../rails/signer/signer-client.ts'
import { createSignerMonitor, type SignerMonitor } from '../../rails/signer/signer-monitor.ts'
import type { PaymentServices } from '../services.ts'
import { guardedAccount } from './authorize-transaction.ts'
import { createLocalSigner } from './local-signer.ts'

type Parts = Pick<PaymentServices, 'config' | 'db' | 'pool' | 'clock' | 'log' | 'metrics' | 'nano'>

/** How this process signs: through the signer, or with its own keys. */
export interface Signing {
  readonly addresses: OwnAddresses
  readonly signer: BlockSigner
  readonly base: Pick<BaseParts, 'guard' | 'remoteAccount'>
  /** Undefined if this process signs. */
  readonly monitor: SignerMonitor | undefined
}

export async function openSigning(parts: Parts): Promise<Signing> {
  const { config, db, pool, clock, log } = parts
  const { url, secret } = config.signer
  if (url === undefined) {
    const keyring = await openKeyring(config, db, log)
    return {
      addresses: addressesFrom(keyring, (database) => verifyKeyring(database, keyring)),
      signer: createLocalSigner({ ...parts, keyring, isAsked: false }),
      base: { guard: (account) => guardedAccount({ ...parts, token: tokenOf(config) }, account) },
      monitor: undefined,
    }
  }
  const seed = join(config.dataDir, 'nano-seed')
  if (existsSync(seed)) throw new StartError(`${seed}: belongs to the signer alone; move it there, or unset SIGNER_URL`)
  const signer = connectSigner({ url, secret: secret! }, { clock, log })
  return {
    addresses: createRemoteAddresses({ signer, db, log, house: config.nano.houseAddress }),
    signer,
    base: { remoteAccount: signer.account },
    monitor: createSignerMonitor({ signer, db, pool, log }),
  }
}
