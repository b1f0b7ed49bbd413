import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { settings, toleratedShare } from './measure.mjs'

const file = new URL('./RESULTS.md', import.meta.url)
const memoryTargetMegabytes = 150

const introduction = `# Results

Measured by \`npm run bench\`. [README.md](README.md) says what is measured and how.
`

export function recordSuite({ name, title }, rows) {
  const table = [
    '| Route | Reference | req/s | p50 ms | p99 ms | CPU µs | reference req/s | p50 ms | p99 ms | CPU µs | ratio | CPU ratio | goal |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|',
    ...rows.map(suiteRow),
  ]
  const othersShare = Math.max(...rows.map((row) => row.othersShare))
  const others =
    othersShare > toleratedShare
      ? ` Other programs disturbed this run and took up to ${othersShare.toFixed(1)} cores.`
      : ''
  recordSection(name, `## ${title}\n\n${conditions()}.${others}\n\n${table.join('\n')}`)
}

function suiteRow({ label, kind, atLeast, ours, reference, ratio, processorRatio }) {
  const goal = atLeast === undefined ? '' : `${atLeast.toFixed(2)}, ${ratio >= atLeast ? 'met' : '**missed**'}`
  const side = ({ perSecond, p50, p99, processorMicroseconds }) => [
    Math.round(perSecond),
    ...[p50, p99, processorMicroseconds].map((figure, index) => figure?.toFixed(index === 2 ? 1 : 2) ?? '-'),
  ]
  const cells = [label, kind, ...side(ours), ...side(reference), ratio.toFixed(2), processorRatio.toFixed(2)]
  return `| ${[...cells, goal].join(' | ')} |`
}

/** Records what a suite measured in its own way: our figure, a reference's, and the goal. */
export function recordTrials({ name, title }, rows) {
  const table = [
    '| What | ours | reference | goal |',
    '|---|--:|--:|---|',
    ...rows.map(({ label, ours, reference = '', goal, isMet }) => {
      const verdict = goal === undefined ? '' : `${goal}, ${isMet ? 'met' : '**missed**'}`
      return `| ${label} | ${ours} | ${reference} | ${verdict} |`
    }),
  ]
  console.log(table.slice(2).join('\n'))
  recordSection(`${name}-trials`, `## ${title}: trials\n\n${machine()}.\n\n${table.join('\n')}`)
}

export function recordMemory({ afterStart, afterLoad }) {
  if (!afterStart) return console.log('There is no /proc here, so memory is not measured.')
  const row = (when, { total, own, file }) => {
    const verdict = total < memoryTargetMegabytes ? 'met' : '**missed**'
    return `| ${when} | ${total} | ${own} | ${file} | under ${memoryTargetMegabytes}, ${verdict} |`
  }
  const table = [
    '| The service, without PostgreSQL | RSS MB | private MB | file-backed MB | goal |',
    '|---|--:|--:|--:|---|',
    row('idle after start', afterStart),
    row('idle after load', afterLoad),
  ]
  console.log(table.slice(2).join('\n'))
  recordSection('memory', `## Idle memory\n\n${conditions()}.\n\n${table.join('\n')}`)
}

function conditions() {
  const { connections, rounds, secondsPerRound, secondsForLatency } = settings
  return `${machine()}; ${connections} connections, ${rounds} rounds of ${secondsPerRound} s, latencies from one run of ${secondsForLatency} s`
}

export function machine() {
  const today = new Date().toISOString().slice(0, 10)
  return `${today}, Node ${process.versions.node}, ${availableParallelism()} cores, ${cpus()[0]?.model.trim()}`
}

/** Replaces one section of the file, found by its marker, and keeps the others. Memory comes first. */
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
