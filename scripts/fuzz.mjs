// npm run fuzz                          200,000 generated requests to a real service, then a million mutated files
// npm run fuzz -- requests              only the requests
// npm run fuzz -- files                 only the files
// npm run fuzz -- --requests 20000 --files 50000 --seed 7
// npm run fuzz -- --short               3,000 requests and 5,000 files: half with a fixed seed, half with a new one. Takes a minute
import { prepare } from './prepare.mjs'

await prepare()
// Imported only now: a fresh clone has neither the packages nor the built server before `prepare`.
const { fuzz } = await import('../fuzz/fuzz.mjs')
process.exit((await fuzz(process.argv.slice(2))) ? 0 : 1)
