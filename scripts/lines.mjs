// node scripts/lines.mjs 80e54573 b5b3f8c3 HEAD    counts the lines of each room at these commits: code / comments / tests
//
// Empty lines, generated files and Markdown are left out. A comment is a line that has nothing else. Fixtures are tests.
import { execFileSync } from 'node:child_process'
import { root } from './prepare.mjs'

const counted = /\.(ts|tsx|mjs|js|css|sql|sh)$/
const generated = /^sdk\/src\/generated\/|\/contract-code\.ts$|\/smart-wallet-code\.ts$/
const test = /\.(test|fixture)\.|\/test\/|^fuzz\/|^interop\//

const commits = process.argv.slice(2)
const rooms = new Map()
for (const commit of commits)
  for (const { path, text } of filesAt(commit)) {
    const { code, comments } = linesOf(text)
    for (const name of [roomOf(path), '**all**']) {
      if (!rooms.has(name)) rooms.set(name, {})
      rooms.get(name)[commit] ??= { code: 0, comments: 0, tests: 0 }
      const sum = rooms.get(name)[commit]
      sum.code += test.test(path) ? 0 : code
      sum.comments += test.test(path) ? 0 : comments
      sum.tests += test.test(path) ? code + comments : 0
    }
  }
console.log(`| Room | ${commits.join(' | ')} |\n|---|${'--:|'.repeat(commits.length)}`)
for (const [name, sums] of [...rooms].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  console.log(`| ${name} | ${commits.map((commit) => cell(sums[commit])).join(' | ')} |`)

function cell(sum) {
  return sum ? `${sum.code} / ${sum.comments} / ${sum.tests}` : ''
}

/** The room of the server, or the folder of the repository. */
function roomOf(path) {
  const [folder] = path.split('/')
  return folder === 'server' ? (/^server\/src\/([^/]+)\//.exec(path)?.[1] ?? 'server') : `${folder}/`
}

function linesOf(text) {
  const lines = { code: 0, comments: 0 }
  let isInComment = false
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    isInComment ||= line.startsWith('/*')
    lines[isInComment || /^(\/\/|--|#)/.test(line) ? 'comments' : 'code'] += 1
    if (line.includes('*/')) isInComment = false
  }
  return lines
}

function filesAt(commit) {
  const paths = git(['ls-tree', '-r', '--name-only', commit])
    .toString()
    .split('\n')
    .filter((path) => counted.test(path) && !generated.test(path))
  const contents = git(['cat-file', '--batch'], paths.map((path) => `${commit}:${path}\n`).join(''))
  let next = 0
  return paths.map((path) => {
    const start = contents.indexOf('\n', next) + 1
    const end = start + Number(contents.toString('utf8', next, start).split(' ')[2])
    next = end + 1
    return { path, text: contents.toString('utf8', start, end) }
  })
}

function git(args, input) {
  return execFileSync('git', args, { cwd: root, input, maxBuffer: 2 ** 30 })
}
