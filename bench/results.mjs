import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { settings, toleratedShare } from './measure.mjs'

const file = new URL('./RESULTS.md', import.meta.url)
const memoryTargetMegabytes = 150

const introduction = `# Results

Written by \`npm run bench\`; see README.md for what is measured and how.
`

export function recordSuite({ name, title }, rows) {
  const table = [
    '| Route | Reference | req/s | p50 ms | p99 ms | CPU µs | reference req/s | p50 ms | p99 ms | CPU µs | ratio | CPU ratio | wanted |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|',
    ...rows.map(suiteRow),
  ]
  const othersShare = Math.max(...rows.map((row) => row.othersShare))
  const others =
    othersShare > toleratedShare ? ` Disturbed: other programs took up to ${othersShare.toFixed(1)} cores.` : ''
  recordSection(name, `## ${title}\n\n${circumstances()}.${others}\n\n${table.join('\n')}`)
}

function suiteRow({ label, reference, ours, bare, ratio, processorRatio }) {
  const { atLeast } = reference
  const wanted = atLeast === undefined ? '' : `${atLeast.toFixed(2)}, ${ratio >= atLeast ? 'met' : '**missed**'}`
  const side = ({ perSecond, p50, p99, processorMicroseconds }) => [
    Math.round(perSecond),
    ...[p50, p99, processorMicroseconds].map((figure, index) => figure?.toFixed(index === 2 ? 1 : 2) ?? '-'),
  ]
  const cells = [label, reference.kind, ...side(ours), ...side(bare), ratio.toFixed(2), processorRatio.toFixed(2)]
  return `| ${[...cells, wanted].join(' | ')} |`
}

/** What a suite measured in its own way: our figure, that of something else that does the same, and what was wanted. */
export function recordTrials({ name, title }, rows) {
  const table = [
    '| What | ours | reference | wanted |',
    '|---|--:|--:|---|',
    ...rows.map(({ label, ours, reference = '', wanted, isMet }) => {
      const verdict = wanted === undefined ? '' : `${wanted}, ${isMet ? 'met' : '**missed**'}`
      return `| ${label} | ${ours} | ${reference} | ${verdict} |`
    }),
  ]
  console.log(table.slice(2).join('\n'))
  recordSection(`${name}-trials`, `## ${title}: trials\n\n${machine()}.\n\n${table.join('\n')}`)
}

export function recordMemory({ afterStart, afterLoad }) {
  if (!afterStart) return console.log('No /proc here: memory is not measured.')
  const row = (when, { total, own, file }) => {
    const verdict = total < memoryTargetMegabytes ? 'met' : '**missed**'
    return `| ${when} | ${total} | ${own} | ${file} | under ${memoryTargetMegabytes}, ${verdict} |`
  }
  const table = [
    '| The service, without PostgreSQL | RSS MB | of it own | of it files | wanted |',
    '|---|--:|--:|--:|---|',
    row('idle after its start', afterStart),
    row('idle after the load', afterLoad),
  ]
  console.log(table.slice(2).join('\n'))
  recordSection('memory', `## Idle memory\n\n${circumstances()}.\n\n${table.join('\n')}`)
}

function circumstances() {
  const { connections, rounds, secondsPerRound, secondsForLatency } = settings
  return `${machine()}; ${connections} connections, ${rounds} rounds of ${secondsPerRound} s, latencies of one run of ${secondsForLatency} s`
}

function machine() {
  const today = new Date().toISOString().slice(0, 10)
  return `${today}, Node ${process.versions.node}, ${availableParallelism()} cores, ${cpus()[0]?.model.trim()}`
}

/** Sections stand between markers, so that one can be replaced and the others stay. Memory comes first. */
function recordSection(name, text) {
  const sections = readSections()
  sections.set(name, text)
  const order = [...sections.keys()].sort((a, b) => Number(b === 'memory') - Number(a === 'memory') || (a < b ? -1 : 1))
  const parts = order.map((key) => `<!-- ${key} -->\n${sections.get(key)}\n`)
  writeFileSync(file, [introduction, ...parts].join('\n'))
}

function readSections() {
  if (!existsSync(file)) return new Map()
  const [, ...parts] = readFileSync(file, 'utf8').split(/^<!-- (\S+) -->$/m)
  const sections = new Map()
  for (let index = 0; index < parts.length; index += 2) sections.set(parts[index], parts[index + 1].trim())
  return sections
}
