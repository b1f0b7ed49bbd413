import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { isProcessSession } from '../../platform/database/connection-budget.ts'
import { createLog } from '../../platform/log.ts'
import { MalformedReply, NodeUnreachable, SignerSecretRefused } from '../../rails/node-errors.ts'
import { connectSigner, type SignerStatus } from '../../rails/signer/signer-client.ts'
import { readBindings } from '../bindings.ts'
import { connectToDatabase } from '../find-running-database.ts'
import { type Check, hostOf, messageOf, type Report } from './check.ts'

const isItThere = 'Is the process with ROLE=signer running, and is SIGNER_URL its address?'

/** Whether the signer is there, takes our secret and has the seed of this database; or who else has the keys. */
export const checkSigner = (config: Config, databaseUrl: string | undefined): Check => ({
  area: 'signer',
  timeoutMs: 12_000,
  advice: isItThere,
  async run(report) {
    const { role, signer } = config
    if (role === 'signer') return report.ok('this is the signer: the keys are here, and should be nowhere else')
    if (signer.url === undefined) {
      if (role === 'all') return report.skip('there is one kind of process, and it has the keys')
      return report.warn(
        `this process has the keys, and ROLE is ${role}`,
        'Start one process with ROLE=signer and set SIGNER_URL here: see docs/operations.md.',
      )
    }
    if (existsSync(join(config.dataDir, 'nano-seed')))
      report.wrong(`${config.dataDir} has a nano-seed`, 'Move it to the signer: this process does not start with it.')
    const status = await askSigner(config).catch((error: unknown) => {
      report.wrong(`the signer: ${messageOf(error)}`, adviceFor(error))
    })
    if (!status) return
    report.ok(`${hostOf(signer.url)} takes our SIGNER_SECRET`)
    // The check of the database says why it cannot be asked. That is not the signer's fault.
    const seen = databaseUrl === undefined ? undefined : await askDatabase(databaseUrl).catch(() => undefined)
    if (seen) reportDatabase(report, status, seen)
    else report.skip('the database was not asked whether the signer belongs to it')
    if (config.base?.settle === 'signer' && status.settler === null)
      report.wrong('the signer has no BASE_SETTLER_KEY', 'Set BASE_SETTLER_KEY and BASE_RPC_URL at the signer.')
    if (signer.url.startsWith('http:') && !/^(localhost|127\.|\[::1\])/.test(hostOf(signer.url)))
      report.warn('SIGNER_URL is not encrypted', 'Use a private network, or https through a proxy at the signer.')
  },
})

const askDatabase = async (databaseUrl: string) => ({
  firstNanoAddress: (await readBindings(databaseUrl)).firstNanoAddress,
  isConnected: await hasSigner(databaseUrl),
})

/** Whether the signer has the seed of this database, and is connected to it. */
function reportDatabase(
  report: Report,
  { first }: SignerStatus,
  { firstNanoAddress, isConnected }: Awaited<ReturnType<typeof askDatabase>>,
): void {
  if (firstNanoAddress === undefined) report.skip('this database has no seed yet: the first start binds it to one')
  else if (firstNanoAddress === first) report.ok('the signer has the seed of this database')
  else report.wrong('the signer has another seed than this database', 'Give it the same DATABASE_URL and its own seed.')
  if (!isConnected)
    report.wrong(
      'the signer is connected to another database, perhaps to a copy of this one',
      'Give it the DATABASE_URL that the other processes have, and restart it.',
    )
}

/** Whether a signer has its session in this database, or a process of a version that did not name its role. */
async function hasSigner(databaseUrl: string): Promise<boolean> {
  const client = await connectToDatabase(databaseUrl)
  try {
    const { rows } = await client.query<{ is_there: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity
         WHERE ${isProcessSession} AND application_name ~ '^pennypost listener( signer|$)') AS is_there`,
    )
    return rows[0]!.is_there
  } finally {
    await client.end()
  }
}

function adviceFor(error: unknown): string {
  if (error instanceof SignerSecretRefused)
    return 'It is running, and its SIGNER_SECRET differs from ours. Set the same one at both, and restart the process that you changed.'
  const isOther = error instanceof MalformedReply || (error instanceof NodeUnreachable && error.status !== undefined)
  if (isOther) return 'Something else replies at SIGNER_URL: set it to the address of the process with ROLE=signer.'
  return error instanceof NodeUnreachable ? isItThere : 'Look at the log of the signer.'
}

export const askSigner = ({ signer }: Config): Promise<SignerStatus> =>
  connectSigner(
    { url: signer.url!, secret: signer.secret! },
    { clock: systemClock(), log: createLog('silent') },
  ).status()
