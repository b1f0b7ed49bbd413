// npm run audit     proves that the books are right and that the chain says the same; running or stopped, with the
//                   service's own settings. Ends with 1 and a line for everything that is wrong.
import { prepare } from './prepare.mjs'

await prepare()
const { readConfig } = await import('../server/dist/platform/config.js')
const { createLog } = await import('../server/dist/platform/log.js')
const { audit } = await import('../server/dist/audit.js')

const config = readConfig(process.env)
const { findings, underWay, addresses, movements, payments, isUsdcSeen } = await audit(config, createLog('error'))
for (const line of underWay) console.log(`under way: ${line}`)
for (const line of findings) console.error(`WRONG: ${line}`)
if (!isUsdcSeen) console.log('not looked for on the chain: payments in USDC, for want of a BASE_RPC_URL that answers')
console.log(
  `${movements} movements, ${addresses} addresses and ${payments} payments in USDC: ${findings.length === 0 ? 'all right' : `${findings.length} wrong`}`,
)
process.exit(findings.length === 0 ? 0 : 1)
