// Everything between a fresh clone and a program that can run. Only what Node brings: nothing is installed yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const npmRecord = 'node_modules/.package-lock.json'
const mark = 'node_modules/.pennypost-installed'

export async function prepare() {
  requireNode()
  const done = await aloneInThisCheckout()
  if (!isInstalled()) await install()
  removeOrphanedOutput()
  await build()
  done()
}

/** The folders that `tsc -b` builds, each with its src and dist. */
export function projects() {
  return readJson('tsconfig.json').references.map(({ path }) => join(root, path))
}

export function filesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/**
 * Starts a program in a process group of its own that is killed whole when this process ends in any way, so that a
 * Ctrl-C or a kill never leaves one behind that writes on.
 */
export function spawnWatched(program, args, options) {
  const watchAndExec = `
( ( trap '' INT HUP TERM; read -r _ <&3 || kill -s KILL -- -$$ ) </dev/null >/dev/null 2>&1 4<&- & )
exec "$@" 3<&-
`
  const [stdout, stderr] = options.output
  const child = spawn('/bin/sh', ['-c', watchAndExec, 'sh', program, ...args], {
    cwd: root,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', stdout, stderr, 'pipe', ...(options.ipc ? ['ipc'] : [])],
  })
  const lifeline = child.stdio[3]
  lifeline.on('error', () => {})
  child.once('exit', () => {
    lifeline.end('ended\n')
    lifeline.destroySoon()
  })
  return child
}

function requireNode() {
  const wanted = readJson('package.json').engines.node.replace('>=', '')
  const parts = (version) => version.split('.').map(Number)
  const [major, minor, patch] = parts(process.versions.node)
  const [wantedMajor, wantedMinor, wantedPatch] = parts(wanted)
  const difference = major - wantedMajor || minor - wantedMinor || patch - wantedPatch
  if (difference < 0) giveUp(`Pennypost needs Node ${wanted} or later; this is ${process.versions.node}.`)
}

/** Asks npm's own record as well as our mark: whoever ran npm ci by hand is spared a second one. */
function isInstalled() {
  if (!existsSync(join(root, npmRecord))) return false
  if (existsSync(join(root, mark)) && readFileSync(join(root, mark), 'utf8') === wantedMark()) return true
  const installed = readJson(npmRecord).packages
  return Object.entries(readJson('package-lock.json').packages).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    // The packages of other platforms, and what only they need, are rightly absent.
    if (!found && wanted.optional && !isMadeForThisPlatform(wanted)) return true
    return found && found.version === wanted.version && found.integrity === wanted.integrity
  })
}

function isMadeForThisPlatform({ os, cpu, libc }) {
  return os?.includes(process.platform) && cpu?.includes(process.arch) && !libc
}

function wantedMark() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch}\n`
}

async function install() {
  console.log('Installing packages…')
  const npm = process.env.npm_execpath
  const command = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm']
  // NODE_ENV=production would leave out the compiler.
  const options = ['--include=dev', '--no-audit', '--no-fund']
  const attempt = await run([...command, 'ci', ...options])
  if (attempt.code !== 0) {
    // A lock file written where the registry lacks other platforms' packages is refused by npm ci, though it names all
    // that is needed here.
    if (!attempt.output.includes('EUSAGE')) giveUp(`${attempt.output}npm ci failed (${attempt.code}).`)
    rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    const second = await run([...command, 'install', '--no-save', ...options])
    if (second.code !== 0) giveUp(`${second.output}npm install failed (${second.code}).`)
  }
  writeFileSync(join(root, mark), wantedMark())
}

/** A test whose source is gone would otherwise run for ever. */
function removeOrphanedOutput() {
  for (const project of projects()) {
    for (const file of filesBelow(join(project, 'dist'))) {
      const name = relative(join(project, 'dist'), file)
      const source = name.replace(/(\.js|\.d\.ts)(\.map)?$/, '')
      if (source !== name && !existsSync(join(project, 'src', `${source}.ts`))) rmSync(file)
    }
  }
}

async function build() {
  const { code, output } = await run([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-b'])
  if (code !== 0) giveUp(`${output}tsc -b failed (${code}).`)
  // In a process of its own: the service that is started next should not carry the bundler along.
  const bundled = await run([process.execPath, join(root, 'scripts/bundle-site.mjs')])
  if (bundled.code !== 0) giveUp(`${bundled.output}The site could not be built (${bundled.code}).`)
}

async function run([program, ...args]) {
  const child = spawnWatched(program, args, { output: ['pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  return { code, output }
}

/**
 * Two starts at once in a fresh clone would install over each other: the second waits. The kernel forgets such a name
 * with the process that holds it, so nothing is left by a kill. Only Linux has them; elsewhere we take the chance.
 */
async function aloneInThisCheckout() {
  if (process.platform !== 'linux') return () => {}
  const name = `\0pennypost-prepare-${createHash('sha256').update(root).digest('hex')}`
  for (let attempt = 1; ; attempt++) {
    const waiting = []
    const server = createServer((socket) => waiting.push(socket.unref())).unref()
    const problem = await new Promise((resolve) => {
      server.once('error', resolve).listen(name, resolve)
    })
    if (problem?.code !== 'EADDRINUSE') {
      return () => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }
    }
    if (attempt === 1) console.log('Another process is installing or building here; waiting for it…')
    await new Promise((resolve) => {
      connect(name)
        .on('error', () => {})
        .once('close', resolve)
        .resume()
    })
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function giveUp(reason) {
  console.error(reason)
  process.exit(1)
}
