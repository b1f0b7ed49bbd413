// npm run test:interop              tries every stock client, and writes docs/interop.md
// npm run test:interop -- WORD      only those whose name contains the word; writes nothing
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare, root } from '../scripts/prepare.mjs'
import { clients } from './clients.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const [word = ''] = process.argv.slice(2)

await prepare()
if (!existsSync(join(here, 'node_modules', '.package-lock.json'))) await installClients()
const { openService } = await import('./service.mjs')
const { measureFirstCalls } = await import('./first-calls.mjs')
const service = await openService()
const rows = []
let firstCalls
try {
  // First, while the service is fresh.
  if (word === '') firstCalls = await measureFirstCalls(service)
  for (const { name, tried, seconds = 90 } of clients.filter((client) => client.name.includes(word))) {
    const { outcome, remark } = await tryClient(name, seconds)
    rows.push({ name, version: versionsOf(name), tried, outcome, remark })
    console.log(
      `${outcome === 'works' ? '✔' : outcome === 'fails' ? '✖' : '–'} ${name}: ${outcome}${remark && `, ${remark}`}`,
    )
  }
} finally {
  await service.close()
}
if (word === '') writeTables(rows)
process.exit(rows.some(({ outcome }) => outcome === 'fails') ? 1 : 0)

function installClients() {
  console.log('Installing stock clients…')
  // Their peers disagree with each other. We cannot fix that.
  const child = spawn('npm', ['ci', '--legacy-peer-deps', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: here,
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) =>
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error('npm ci failed.')))),
  )
}

/** Each in a separate process, so that one that hangs or crashes is one line of the table. */
async function tryClient(name, seconds) {
  const child = spawn(process.execPath, [join(here, 'try-client.mjs'), name], {
    cwd: service.folder,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      NODE_EXTRA_CA_CERTS: service.certificateFile,
      SERVICE: JSON.stringify({ ...service, close: undefined }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, seconds * 1000)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  const [, result] = /^RESULT (.*)$/m.exec(output) ?? []
  if (result) return JSON.parse(result)
  return { outcome: 'fails', remark: isLate ? `no result in ${seconds} s` : lastLine(output) }
}

function lastLine(text) {
  return text.trim().split('\n').at(-1)?.slice(0, 160) ?? 'no output'
}

/** The versions that are installed of the packages that a name consists of. */
function versionsOf(name) {
  return name
    .split(' + ')
    .map((part) => JSON.parse(readFileSync(join(here, 'node_modules', part, 'package.json'), 'utf8')).version)
    .join(', ')
}

function writeTables(all) {
  const file = join(root, 'docs', 'interop.md')
  const day = new Date().toISOString().slice(0, 10)
  const lines = all.map(
    ({ name, version, tried, outcome, remark }) =>
      `| ${name} | ${version} | ${tried} | ${outcome}${remark && `: ${remark.replaceAll('|', '\\|')}`} | ${day} |`,
  )
  const table = ['| Client | Version | What was tried | Result | Date |', '|---|---|---|---|---|', ...lines].join('\n')
  const page = readFileSync(file, 'utf8')
  writeFileSync(file, between(between(page, 'clients', table), 'first calls', firstCalls))
}

/** The page with another table between two comments. */
function between(page, name, table) {
  const place = new RegExp(`(<!-- ${name} -->\\n).*?(<!-- /${name} -->)`, 's')
  return page.replace(place, (_, start, end) => `${start}${table}\n${end}`)
}
