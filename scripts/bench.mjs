// npm run bench                  every suite
// npm run bench -- foundation    one suite; the tables of the others stay in bench/RESULTS.md
import { prepare } from './prepare.mjs'

await prepare()
// Not before: a fresh clone has neither the packages nor the built server that it imports.
const { bench } = await import('../bench/bench.mjs')
await bench(process.argv.slice(2))
