// npm run drill   proves that a backup can be restored: a service sells, is backed up into a bucket, sells on, and loses its database
//                 and its folder. A few minutes. Writes its table into bench/RESULTS.md
import { prepare } from './prepare.mjs'

await prepare()
const { drill } = await import('../cluster/drill/drill.mjs')
process.exitCode = (await drill()) ? 0 : 1
