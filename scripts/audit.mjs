// npm run audit     checks that the ledger is consistent and agrees with the chains. Uses the service's settings; the
//                   service may be running or stopped. Prints a line for every finding, and exits with 1 if there is one.
import { prepare } from './prepare.mjs'

await prepare()
const { readConfig } = await import('../server/dist/config.js')
const { createLog } = await import('../server/dist/platform/log.js')
const { audit } = await import('../server/dist/audit.js')

const config = readConfig(process.env)
const { findings, underWay, addresses, movements, payments, isUsdcSeen } = await audit(config, createLog('error'))
for (const line of underWay) console.log(`pending: ${line}`)
for (const line of findings) console.error(`WRONG: ${line}`)
if (!isUsdcSeen) console.log('USDC payments were not checked on the chain: no BASE_RPC_URL responds')
console.log(
  `${movements} movements, ${addresses} addresses and ${payments} USDC payments: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}`,
)
process.exit(findings.length === 0 ? 0 : 1)
