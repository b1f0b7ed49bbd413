// node nano.mjs PORT FOLDER: the development ledger as a Nano node, with its websocket on the same port.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const { systemClock } = await import('../../server/dist/platform/clock.js')
const { openLedgerNode } = await import('../../server/dist/development/nano-ledger/ledger-node.js')
const { serveLedger } = await import('../../server/dist/development/nano-ledger/ledger-server.js')

const [, , port, folder] = process.argv
mkdirSync(folder, { recursive: true })
const clock = systemClock()
const node = await openLedgerNode({ path: join(folder, 'blocks'), clock, confirmAfterMs: 100 })
await serveLedger(node, clock, Number(port))
