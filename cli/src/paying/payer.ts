import type { Asset, Payment, Signers } from '@pennypost/sdk'
import { nanoSigner } from '@pennypost/sdk/nano'
import { usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { type Client, openClient } from '../profile/client.ts'
import { readSecretFile } from '../profile/read-secret-file.ts'
import { readAmounts } from './amounts.ts'

const daySeconds = 86_400

type Amounts = Partial<Record<Asset, string>>

export function dailyLimit({ env }: Shell): Amounts | undefined {
  const { PENNYPOST_DAILY_LIMIT: daily } = env
  return daily ? readAmounts([daily], 'PENNYPOST_DAILY_LIMIT') : undefined
}

/** The wallets of the environment, and what may be spent with them: at most `perPayment` at a time. */
export async function payerOptions(shell: Shell, perPayment: Amounts, total = dailyLimit(shell)) {
  const signers = await readSigners(shell)
  // A currency that has no daily limit is not spent, if there is one at all.
  const allowed = Object.fromEntries(
    Object.entries(perPayment).filter(([asset]) => total === undefined || total[asset as Asset] !== undefined),
  )
  // The period also without a limit for it: a limit that is set later on the same day counts what was spent before.
  return { signers, spendingLimit: { perPayment: allowed, periodSeconds: daySeconds, ...(total && { total }) } }
}

/** A client that can pay. */
export const openPayer = async (shell: Shell, perPayment: Amounts): Promise<Client> =>
  openClient(shell, await payerOptions(shell, perPayment))

async function readSigners(shell: Shell): Promise<Signers> {
  const { env } = shell
  const { PENNYPOST_NANO_SEED_FILE: seedFile, PENNYPOST_BASE_KEY_FILE: keyFile } = env
  return {
    ...(seedFile && { nano: await nanoWallet(shell, seedFile) }),
    ...(keyFile && { usdc: await baseWallet(shell, keyFile) }),
  }
}

async function nanoWallet(shell: Shell, file: string) {
  const seed = await readSecretFile(shell, file, 'PENNYPOST_NANO_SEED_FILE')
  const { PENNYPOST_NANO_INDEX: index = '0', PENNYPOST_NANO_NODE: rpcUrl } = shell.env
  if (!rpcUrl) throw usageError('Set PENNYPOST_NANO_NODE to the RPC address of a Nano node.')
  if (!/^\d{1,9}$/.test(index)) throw usageError('PENNYPOST_NANO_INDEX is a whole number.')
  return nanoSigner({ seed, index: Number(index), rpcUrl })
}

async function baseWallet(shell: Shell, file: string) {
  const text = await readSecretFile(shell, file, 'PENNYPOST_BASE_KEY_FILE')
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (digits === undefined) throw usageError('PENNYPOST_BASE_KEY_FILE does not contain 64 hexadecimal digits.')
  const { privateKeyToAccount } = await import('viem/accounts')
  return privateKeyToAccount(`0x${digits}`) as unknown as NonNullable<Signers['usdc']>
}

/** A payment as JSON output shows it. */
export const paymentJson = ({ asset, amount, payer, transaction, receipt, signedAt }: Payment) => ({
  amount,
  asset,
  payer,
  transaction,
  signedAt,
  receiptVerified: receipt?.isVerified ?? false,
})
