import { setTimeout as wait } from 'node:timers/promises'
import { linkTo, type StateBlock, signBlock, workRootOf } from '@pennypost/nano/block'
import { bytesOf } from '@pennypost/nano/hex'
import { keyPairOf } from '@pennypost/nano/keys'
import type { NodeClient } from '../../rails/nano/node/node-client.ts'
import type { ProcessOutcome } from '../../rails/nano/node/process-outcome.ts'
import type { WorkSource } from '../../rails/nano/work/work-source.ts'
import { genesisAccount, genesisSecretKey } from './genesis.ts'
import { thresholds } from './ledger.ts'

export class FaucetEmpty extends Error {
  override name = 'FaucetEmpty'
}

const maxAttempts = 50
const pauseMs = 100

export interface Faucet {
  readonly address: string
  readonly secretKey: string
  /** Sends and returns the block hash. Sends run one at a time, because each block builds on the previous one. */
  send(to: string, amountRaw: bigint): Promise<string>
}

/** Sends from the genesis account of a dev network. Its key is public, so it retries if another user was faster. */
export function createFaucet(client: NodeClient, work: WorkSource): Faucet {
  const keys = keyPairOf(bytesOf(genesisSecretKey, 32))
  let last: Promise<unknown> = Promise.resolve()

  async function sendNow(to: string, amountRaw: bigint): Promise<string> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const account = await client.accountInfo(genesisAccount)
      if (!account) throw new Error('the node is not on the dev network: its genesis account has no block')
      if (amountRaw > account.balance) throw new FaucetEmpty('the faucet holds less than that')
      const content = {
        account: genesisAccount,
        previous: account.frontier,
        // The genesis account is the network's only voter, so it must keep its voting weight.
        representative: genesisAccount,
        balance: String(account.balance - amountRaw),
        link: linkTo(to),
      }
      const signed = signBlock(content, keys)
      const block: StateBlock = { ...signed, work: await work.generate(workRootOf(content), thresholds.send) }
      const outcome = await publish(block)
      if (outcome.kind === 'accepted' || outcome.kind === 'old') return outcome.hash
      if (outcome.kind !== 'fork') throw new Error(`the faucet's block was not accepted: ${JSON.stringify(outcome)}`)
    }
    throw new Error('the faucet is too busy: other senders were always faster')
  }

  /** Publishes the same block until its outcome is known. A new block might pay twice. */
  async function publish(block: StateBlock): Promise<ProcessOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await client.process(block)
      if (outcome.kind !== 'uncertain' || attempt === maxAttempts) return outcome
      await wait(pauseMs)
    }
  }

  return {
    address: genesisAccount,
    secretKey: genesisSecretKey,
    send(to, amountRaw) {
      const turn = last.then(() => sendNow(to, amountRaw))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
