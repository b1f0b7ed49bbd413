// npm run audit             checks that the ledger is consistent and agrees with the chains: what is new since the last run, what
//                           can still change, and a part of the rest in turn. Uses the service's settings; the service may be
//                           running or stopped. Prints a line for every finding, and exits with 1 if there is one.
// npm run audit -- --full   checks everything again
import { prepareOnce } from './prepare.mjs'

await prepareOnce()
const { readConfig } = await import('../server/dist/config.js')
const { createLog } = await import('../server/dist/platform/log.js')
const { audit } = await import('../server/dist/audit.js')

const config = readConfig(process.env)
const options = {
  isFull: process.argv.includes('--full'),
  onProgress: (line) => process.stderr.isTTY && process.stderr.write(`\r${line}\u001b[K`),
}
const { findings, underWay, addresses, movements, payments, isUsdcSeen } = await audit(
  config,
  createLog('error'),
  options,
)
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
for (const line of underWay) console.log(`pending: ${line}`)
for (const line of findings) console.error(`WRONG: ${line}`)
if (!isUsdcSeen) console.log('USDC payments were not checked on the chain: no BASE_RPC_URL responds')
console.log(
  `Checked ${movements} movements, ${addresses} addresses and ${payments} USDC payments: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}`,
)
process.exit(findings.length === 0 ? 0 : 1)
