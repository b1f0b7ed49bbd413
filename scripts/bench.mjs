// npm run bench                  every suite
// npm run bench -- foundation    one suite; the others keep their tables in bench/RESULTS.md
import { prepare } from './prepare.mjs'

await prepare()
// Imported only now: a fresh clone has neither the packages nor the built server before `prepare`.
const { bench } = await import('../bench/bench.mjs')
await bench(process.argv.slice(2))
