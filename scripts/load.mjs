// npm run load             the highest rate of mixed requests that the cluster (see cluster/README.md) answers with a p99 under 100 ms,
//                          held for three minutes, then three times as much. Writes its table into bench/RESULTS.md
// npm run load -- --full   holds it for half an hour
import { prepare } from './prepare.mjs'

await prepare()
const { loadOfCluster } = await import('../cluster/load/run.mjs')
await loadOfCluster(process.argv.includes('--full') ? 30 : 3)
