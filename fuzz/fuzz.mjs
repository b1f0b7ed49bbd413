import { randomInt } from 'node:crypto'
import { fuzzFiles } from './files/fuzz-files.mjs'
import { fuzzRequests } from './requests/fuzz-requests.mjs'
import { recordFiles, recordRequests } from './results.mjs'

const full = { requests: 200_000, files: 1_000_000 }
const short = { requests: 3000, files: 5000 }
const fixedSeed = 20_261

/** Runs what the arguments name. Returns whether nothing was found. */
export async function fuzz(args) {
  const { names, options } = readArguments(args)
  const counts = { ...(options.short ? short : full), ...options }
  const [requests, files] = [Number(counts.requests), Number(counts.files)]
  // A short run is for every change: half of it is the same each time, half of it is new.
  const seeds = options.seed ? [Number(options.seed)] : [...(options.short ? [fixedSeed] : []), randomInt(2 ** 31)]
  console.log(`Seed ${seeds.join(' and ')}`)
  const findings = []
  if (names.includes('requests')) {
    const result = await fuzzRequests({ count: requests, seeds })
    if (requests >= full.requests) recordRequests(result, seeds)
    findings.push(...report(result))
  }
  if (names.includes('files')) {
    const result = await fuzzFiles({ count: files, seeds })
    if (files >= full.files) recordFiles(result, seeds)
    findings.push(...report(result))
  }
  console.log(findings.length === 0 ? 'Nothing was found.' : `${findings.length} findings.`)
  return findings.length === 0
}

function readArguments(args) {
  const names = []
  const options = {}
  for (let index = 0; index < args.length; index += 1) {
    if (args[index] === '--short') options.short = true
    else if (args[index].startsWith('--')) options[args[index].slice(2)] = args[++index]
    else names.push(args[index])
  }
  const unknown = names.find((name) => name !== 'requests' && name !== 'files')
  if (unknown) throw new Error(`There is nothing called ${unknown} to fuzz. Name requests or files.`)
  return { names: names.length > 0 ? names : ['requests', 'files'], options }
}

function report({ findings, ...counted }) {
  console.log(JSON.stringify(counted, null, 2))
  for (const { title, times } of findings) console.log(`FOUND ${times} times: ${title}`)
  return findings
}
