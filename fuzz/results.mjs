import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const path = new URL('RESULTS.md', import.meta.url)
const title = `# Results

Written by a full \`npm run fuzz\`. What it found and what was fixed is in the [README](README.md#found-and-fixed).
`

const number = (value) => value.toLocaleString('en-US')
const table = (head, rows) =>
  [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

export function recordRequests(result, seeds) {
  const { requests, perSecond, operations, families, statuses, memory, slowest, findings } = result
  const byStatus = Object.entries(statuses).map(([status, count]) => `${number(count)} × ${status}`)
  const megabytes = memory.map(({ heap, resident }, index) => [
    index === 0 ? 'after the warm-up' : `after ${index} of ${memory.length - 1} parts`,
    heap,
    resident,
  ])
  record(
    'Requests',
    `${number(requests)} requests to ${operations} operations, ${perSecond} per second, seed ${seeds.join(' and ')}: ${countOf(findings)}.

${table(
  ['Requests', 'Count'],
  Object.entries(families)
    .sort(([, a], [, b]) => b - a)
    .map(([family, count]) => [family, number(count)]),
)}

Replies: ${byStatus.join(', ')}. The slowest took ${slowest[0]}.

${table(['Memory after a forced garbage collection', 'Heap, MiB', 'Resident, MiB'], megabytes)}`,
  )
}

export function recordFiles({ files, perSecond, outcomes, findings }, seeds) {
  const rows = Object.entries(outcomes).map(([family, counts]) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return [family, number(total), number(counts.cleared ?? 0), Object.keys(counts).length - 1]
  })
  record(
    'Files',
    `${number(files)} mutated files, ${number(perSecond)} per second, seed ${seeds.join(' and ')}: ${countOf(findings)}.

${table(['Files', 'Count', 'Cleared', 'Reasons to refuse the others'], rows)}`,
  )
}

const countOf = ({ length }) => (length === 0 ? 'nothing was found' : `${length} findings`)

/** Replaces the chapter of this name. The other one stays. */
function record(name, text) {
  const old = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const chapters = new Map(
    old
      .split(/^## /m)
      .slice(1)
      .map((chapter) => [chapter.split('\n', 1)[0], chapter.slice(chapter.indexOf('\n')).trim()]),
  )
  chapters.set(name, text.trim())
  const names = ['Requests', 'Files'].filter((each) => chapters.has(each))
  writeFileSync(path, [title, ...names.map((each) => `## ${each}\n\n${chapters.get(each)}\n`)].join('\n'))
}
