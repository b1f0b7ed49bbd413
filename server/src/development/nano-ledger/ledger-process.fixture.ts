import { systemClock } from '../../platform/clock.ts'
import { openDevelopmentLedger } from './development-ledger.ts'

// A process that runs a ledger until it is killed.
const ledger = await openDevelopmentLedger({ folder: process.argv[2]!, clock: systemClock(), confirmAfterMs: 0 })
process.send!(ledger.rpcUrl)
