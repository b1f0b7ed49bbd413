// npm run nano-ledger             runs the development ledger alone, as a Nano node for other programs
// npm run nano-ledger -- FOLDER   the same, stored in that folder
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { prepare } from './prepare.mjs'

await prepare()
const { systemClock } = await import('../server/dist/platform/clock.js')
const { openDevelopmentLedger } = await import('../server/dist/development/nano-ledger/development-ledger.js')

const folder = process.argv[2] ? resolve(process.argv[2]) : mkdtempSync(join(tmpdir(), 'pennypost-nano-'))
const ledger = await openDevelopmentLedger({ folder, clock: systemClock() })
console.log(`NANO_TEST_RPC=${ledger.rpcUrl} NANO_TEST_WS=${ledger.wsUrl}`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ledger.close().then(() => process.exit(0)))
