// npm run chaos            the cluster (see cluster/README.md) sells, while its parts are killed and frozen. Writes its table into
//                          bench/RESULTS.md. About six minutes; --full takes more than an hour
// npm run chaos -- rails   a hundred buyers pay with USDC and Nano while nodes, a facilitator and two processes fail
const [what = 'cluster', ...flags] = process.argv.slice(2).filter((word) => word !== '--')
if (what === 'rails') await import('../cluster/chaos/rails.mjs')
else {
  const { chaosOfCluster } = await import('../cluster/chaos/run.mjs')
  await chaosOfCluster([what, ...flags].includes('--full') ? 'full' : 'short')
}
