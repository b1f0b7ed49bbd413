// Installs and builds what a fresh clone needs. Uses only Node's own modules, because nothing is installed yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const npmRecord = 'node_modules/.package-lock.json'
const marker = 'node_modules/.pennypost-installed'

/** A type error fails it only with `checkTypes`: checking takes ten times as long as compiling. */
export async function prepare({ checkTypes = false } = {}) {
  requireNode()
  const unlock = await lockCheckout()
  if (!isInstalled()) await install()
  removeOrphanedOutput()
  if (projects().some(hasChanged) || hasServiceChanged() || haveDocsChanged()) console.log('Building…')
  await (checkTypes ? checkAndCompile() : compileChanged())
  await bundle()
  if (haveDocsChanged()) await writeDocs()
  unlock()
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
 * Starts a program in its own process group, which is killed when this process ends in any way. So a Ctrl-C or a kill never
 * leaves a program running.
 */
export function spawnWatched(program, args, options) {
  const watchAndExec = `
( ( trap '' INT HUP TERM; read -r _ <&3 || kill -s KILL -- -$$ ) </dev/null >/dev/null 2>&1 4<&- & )
exec "$@" 3<&-
`
  const [stdout, stderr] = options.output
  const child = spawn('/bin/sh', ['-c', watchAndExec, 'sh', program, ...args], {
    cwd: options.cwd ?? root,
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
  if (difference < 0) fail(`Pennypost needs Node ${wanted} or later; this is ${process.versions.node}.`)
}

/** Checks npm's own record as well as our marker file, so that `npm ci` by hand counts too. */
function isInstalled() {
  if (!existsSync(join(root, npmRecord))) return false
  if (existsSync(join(root, marker)) && readFileSync(join(root, marker), 'utf8') === expectedMarker()) return true
  const installed = readJson(npmRecord).packages
  return Object.entries(readJson('package-lock.json').packages).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    // Packages for other platforms, and their dependencies, are not installed.
    if (!found && wanted.optional && !isMadeForThisPlatform(wanted)) return true
    return found && found.version === wanted.version && found.integrity === wanted.integrity
  })
}

function isMadeForThisPlatform({ os, cpu, libc }) {
  return os?.includes(process.platform) && cpu?.includes(process.arch) && !libc
}

function expectedMarker() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch}\n`
}

async function install() {
  console.log('Installing packages…')
  const npm = process.env.npm_execpath
  const command = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm']
  // With NODE_ENV=production npm would omit the compiler.
  const options = ['--include=dev', '--no-audit', '--no-fund']
  // Versions are fixed by the lock file, so npm need not ask the registry whether what it has cached is still current.
  let attempt = await run([...command, 'ci', '--prefer-offline', ...options])
  // It has cached a list of versions that is older than the lock file.
  if (attempt.output.includes('ETARGET')) attempt = await run([...command, 'ci', ...options])
  if (attempt.code !== 0) {
    // npm ci refuses a lock file that lacks packages of other platforms, although it has everything for this one.
    if (!attempt.output.includes('EUSAGE')) fail(`${attempt.output}npm ci failed (${attempt.code}).`)
    rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    const second = await run([...command, 'install', '--no-save', ...options])
    if (second.code !== 0) fail(`${second.output}npm install failed (${second.code}).`)
  }
  writeFileSync(join(root, marker), expectedMarker())
}

/** Removes output without a source, or a deleted test would still run. */
function removeOrphanedOutput() {
  for (const project of projects()) {
    for (const file of filesBelow(join(project, 'dist'))) {
      const name = relative(join(project, 'dist'), file)
      const source = name.replace(/(\.js|\.d\.ts)(\.map)?$/, '')
      const isKnown = ['ts', 'tsx'].some((ending) => existsSync(join(project, 'src', `${source}.${ending}`)))
      if (source !== name && !isKnown) rmSync(file)
    }
  }
}

const tsc = (...args) => run([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), ...args])

async function checkAndCompile() {
  const { code, output } = await tsc('-b')
  if (code !== 0) fail(`${output}tsc -b failed (${code}).`)
}

/**
 * Compiles the projects with changed sources, each file on its own (`isolatedModules` makes that possible). The JavaScript and
 * the source maps are those of `tsc -b`. It writes no declarations and no `.tsbuildinfo`, so a later `tsc -b` checks everything.
 */
async function compileChanged() {
  const perFile = { noCheck: true, noEmitOnError: true, noResolve: true, lib: 'es5', types: null }
  const scriptsOnly = { declaration: false, composite: false, incremental: false, tsBuildInfoFile: null }
  const options = Object.entries({ ...perFile, ...scriptsOnly }).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const compiled = await Promise.all(
    projects()
      .filter(hasChanged)
      .map((project) => tsc('-p', project, ...options)),
  )
  const failed = compiled.filter(({ code }) => code !== 0)
  if (failed.length > 0) fail(`${failed.map(({ output }) => output).join('')}tsc failed.`)
}

/** Whether a source, or what decides how it is compiled, is newer than its output. */
function hasChanged(project) {
  const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const settings = ['tsconfig.base.json', 'package-lock.json', join(relative(root, project), 'tsconfig.json')]
  const settingsChangedAt = Math.max(...settings.map((name) => changedAt(join(root, name))))
  return filesBelow(join(project, 'src'))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .some((file) => {
      const output = join(project, 'dist', relative(join(project, 'src'), file).replace(/\.tsx?$/, '.js'))
      return changedAt(output) <= Math.max(changedAt(file), settingsChangedAt)
    })
}

async function bundle() {
  // In their own processes, so that the service does not keep the bundler in memory.
  // The program for the command line contains the SDK.
  for (const part of ['sdk', 'site', 'cli', ...(hasServiceChanged() ? ['server'] : [])]) {
    const { code, output } = await run([process.execPath, join(root, `scripts/bundle-${part}.mjs`)])
    if (code !== 0) fail(`${output}${part} could not be bundled (${code}).`)
  }
}

/** Whether something that the service consists of is newer than its bundle. */
function hasServiceChanged() {
  const bundledAt = statSync(join(root, 'server/bundle/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const code = ['contract', 'mcp', 'nano', 'sdk', 'server', 'site']
    .flatMap((part) => filesBelow(join(root, part, 'dist')))
    .filter((file) => /(?<!\.test|\.fixture)\.js$/.test(file))
  const settings = ['package-lock.json', 'scripts/bundle-server.mjs'].map((name) => join(root, name))
  return [...settings, ...code].some((file) => statSync(file).mtimeMs > bundledAt)
}

// The file that is written last.
const writtenDocs = join(root, 'server/dist/docs/entries.json')

/** Whether the contract, a guide or what renders them is newer than the documentation that was written from them. */
function haveDocsChanged() {
  const writtenAt = statSync(writtenDocs, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const guides = [...filesBelow(join(root, 'docs')), join(root, 'CHANGELOG.md'), join(root, 'sdk/README.md')]
  const sources = ['contract/dist', 'server/dist'].flatMap((folder) => filesBelow(join(root, folder)))
  return [...guides, ...sources].some((file) => statSync(file).mtimeMs > writtenAt)
}

async function writeDocs() {
  const { code, output } = await run([process.execPath, join(root, 'server/dist/write-docs.js')])
  if (code !== 0) fail(`${output}The documentation could not be written (${code}).`)
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
 * A lock, so that two starts in a fresh clone do not install over each other. It is an abstract socket: the kernel removes
 * it with the process that holds it. Only Linux has these; elsewhere there is no lock.
 */
async function lockCheckout() {
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

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
