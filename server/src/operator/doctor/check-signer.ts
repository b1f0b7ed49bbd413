import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { MalformedReply, NodeUnreachable, SignerSecretRefused } from '../../rails/node-errors.ts'
import { connectSigner, type SignerStatus } from '../../rails/signer/signer-client.ts'
import { isOfOtherDatabase } from '../../rails/signer/signer-database.ts'
import { bindingsOf } from '../bindings.ts'
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
    const seen = databaseUrl === undefined ? undefined : await askDatabase(databaseUrl, status).catch(() => undefined)
    if (seen) reportDatabase(report, status, seen)
    else report.skip('the database was not asked whether the signer belongs to it')
    if (config.base?.settle === 'signer' && status.settler === null)
      report.wrong('the signer has no BASE_SETTLER_KEY', 'Set BASE_SETTLER_KEY and BASE_RPC_URL at the signer.')
    if (signer.url.startsWith('http:') && !/^(localhost|127\.|\[::1\])/.test(hostOf(signer.url)))
      report.warn('SIGNER_URL is not encrypted', 'Use a private network, or https through a proxy at the signer.')
  },
})

interface Seen {
  readonly firstNanoAddress: string | undefined
  readonly isElsewhere: boolean
}

async function askDatabase(databaseUrl: string, status: SignerStatus): Promise<Seen> {
  const client = await connectToDatabase(databaseUrl)
  try {
    const { firstNanoAddress } = await bindingsOf(client)
    return { firstNanoAddress, isElsewhere: await isOfOtherDatabase(client, status) }
  } finally {
    await client.end()
  }
}

/** Whether the signer uses this database: with the same seed, and the database itself, not a copy. */
function reportDatabase(report: Report, { first }: SignerStatus, { firstNanoAddress, isElsewhere }: Seen): void {
  if (firstNanoAddress === undefined) report.skip('this database has no seed yet: the first start binds it to one')
  else if (firstNanoAddress === first) report.ok('the signer has the seed of this database')
  else report.wrong('the signer has another seed than this database', 'Give it the same DATABASE_URL and its own seed.')
  if (isElsewhere)
    report.wrong(
      'the signer is connected to another database, perhaps to a copy of this one',
      'Give it the DATABASE_URL that the other processes have, and restart it.',
    )
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
