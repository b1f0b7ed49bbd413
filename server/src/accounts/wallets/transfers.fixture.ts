import { equal } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { watchAddresses } from '../../payments/receive-arrivals.ts'
import { type NanoNetworkUnderTest, openNanoNetwork } from '../../test/nano-network.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import type { Person } from '../../test/person.ts'
import { createWorld, type World } from '../../test/world.ts'

export const xno = 10n ** 30n

/** A test world on a Nano network, with a funded wallet. */
export interface Counter {
  readonly world: World
  readonly network: NanoNetworkUnderTest
  readonly wallet: NanoWallet
  /** Pays, then lets the service check its addresses until everything that follows is done. */
  pays(from: NanoWallet, address: string, amountRaw: bigint): Promise<void>
  checkAddresses(): Promise<void>
}

export async function openCounter(
  t: TestContext,
  settings: (wallet: NanoWallet) => Record<string, string> = () => ({}),
) {
  const network = await openNanoNetwork(t)
  const wallet = await network.fundedWallet(10n * xno)
  const world = await createWorld(t, {
    settings: {
      NANO_RPC_URL: network.rpcUrl,
      NANO_WS_URL: network.wsUrl,
      NANO_NETWORK: 'dev',
      ...settings(wallet),
    },
  })
  const watcher = watchAddresses(world.services)
  t.after(() => watcher.stop())
  const { db } = world.services
  const checkAddresses = async () => {
    await db
      .updateTable('nano_addresses')
      .set({ next_check_at: new Date(0) })
      .execute()
    await watcher.checkDue()
    await world.runJobs()
  }
  const isNoted = async (hash: string) =>
    (await db.selectFrom('nano_arrivals').select('hash').where('hash', '=', hash).execute()).length > 0
  const isSending = async () =>
    (await db.selectFrom('nano_sends').select('id').where('confirmed_at', 'is', null).execute()).length > 0
  const pays = async (from: NanoWallet, address: string, amountRaw: bigint) => {
    const hash = await from.sends(address, amountRaw)
    await network.untilConfirmed(hash)
    // The websocket may report the payment first. Then the check skips the address.
    do await checkAddresses()
    while (!(await isNoted(hash)))
    await world.runJobs()
    // Sends that the node has not confirmed yet are checked again a little later.
    while (await isSending()) {
      await world.advance(2)
      await world.runJobs()
    }
  }
  return { world, network, wallet, pays, checkAddresses } satisfies Counter
}

export interface StartedTransfer {
  readonly transferId: string
  readonly loginSecret: string
  readonly address: string
  readonly amountRaw: string
  readonly uri: string
  readonly expiresAt: string
  readonly statusUrl: string
  readonly notice: string
}

export const newSecret = (): string => randomBytes(24).toString('base64url')

export async function startsTransfer(person: Person, requestSecret = newSecret()): Promise<StartedTransfer> {
  const { status, body } = await person.calls(startNanoTransfer, { body: { requestSecret } })
  equal(status, 201, JSON.stringify(body))
  await person.world.runJobs()
  return body
}
