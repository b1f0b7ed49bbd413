import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { findAnvil } from './anvil-program.ts'
import { openDevelopmentChain } from './development-chain.ts'

// A process that runs a development chain in the given folder until it is killed.
const [folder, usdc] = process.argv.slice(2) as [string, string]
const program = (await findAnvil())!
const chain = await openDevelopmentChain({ program, folder, usdc, clock: systemClock(), log: createLog('silent') })
process.send!({ rpcUrl: chain.rpcUrl, anvilPid: chain.anvilPid })
setInterval(() => {}, 60_000)
