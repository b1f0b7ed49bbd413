// npm run load             the highest rate of mixed requests that the cluster (see cluster/README.md) answers with a p99 under 100 ms,
//                          held for three minutes, then three times as much. Writes its table into bench/RESULTS.md
// npm run load -- --full   holds it for half an hour
// npm run load -- --costs  what requests and sales cost each part: the figures of the capacity model (npm run capacity)
// CLUSTER_PORT is the first of about a hundred ports.
import { prepare } from './prepare.mjs'

await prepare()
const { costsOfCluster, loadOfCluster } = await import('../cluster/load/run.mjs')
if (process.argv.includes('--costs')) await costsOfCluster()
else await loadOfCluster(process.argv.includes('--full') ? 30 : 3)
