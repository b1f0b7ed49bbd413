// npm run capacity   what a service of some size needs, from measured costs: see docs/scale.md
import { prepare } from './prepare.mjs'

await prepare()
const { runCapacity } = await import('../cluster/capacity/run.mjs')
runCapacity()
