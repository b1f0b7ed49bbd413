import { randomBytes } from 'node:crypto'
import { deriveSecretKey } from '@pennypost/nano/keys'
import type { NanoNetworkUnderTest } from './nano-network.ts'
import { createNanoWallet } from './nano-wallet.ts'

const xno = 10n ** 30n

/** The seed of a wallet with one XNO, in hexadecimal digits, as programs are given it. */
export async function fundedSeed(network: NanoNetworkUnderTest): Promise<string> {
  const seed = randomBytes(32)
  const wallet = createNanoWallet(network, deriveSecretKey(seed, 0))
  await network.untilConfirmed(await network.faucet.send(wallet.address, xno))
  await wallet.receives()
  await network.untilConfirmed((await network.client.accountInfo(wallet.address))!.frontier)
  return seed.toString('hex')
}
