// npm run release                           release/pennypost-VERSION-PLATFORM.tar.gz and its checksum, for this platform
// npm run release -- --platform=linux-x64   for another one. Its native packages come from the registry
// npm run release -- --folder=DIR           into another folder
// npm run release -- --built                packs what `npm run build` made before, and builds nothing
//
// The archive has compiled code and production dependencies. It needs Node, and no npm, compiler or network. The same build
// gives the same bytes, with the same versions of Node and GNU tar.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { prepare, root } from './prepare.mjs'
import { copyPackages, findPackages } from './release-packages.mjs'

/** The parts of this repository that run in production. What `site` needs from others is in its bundle. */
const parts = {
  cli: ['bin', 'bundle'],
  contract: ['dist'],
  mcp: ['dist'],
  nano: ['dist'],
  sdk: ['dist', 'bundle'],
  server: ['dist', 'bundle', 'src/migrations'],
  site: ['dist', 'bundle'],
}
const documents = ['CHANGELOG.md', 'LICENSE', 'NOTICE', 'SECURITY.md', 'deploy', 'docs']
const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

const options = Object.fromEntries(process.argv.slice(2).map((argument) => argument.replace(/^--/, '').split('=')))
const platform = options.platform ?? `${process.platform}-${process.arch}`
if (!platforms.includes(platform)) fail(`There are releases for ${platforms.join(', ')}, not for ${platform}.`)
const unknown = Object.keys(options).find((name) => !['platform', 'folder', 'built'].includes(name))
if (unknown !== undefined) fail(`There is no option --${unknown}.`)

if (!('built' in options)) await prepare({ checkTypes: true })
const { version, engines } = readJson('cli/package.json')
const name = `pennypost-${version}-${platform}`
const target = resolve(options.folder ?? join(root, 'release'))
const working = mkdtempSync(join(tmpdir(), 'pennypost-release-'))
try {
  const stage = join(working, name)
  mkdirSync(stage)
  stageParts(stage)
  const packages = findPackages(readJson('package-lock.json').packages, Object.keys(parts), platform)
  await copyPackages(packages, { root, stage, working })
  writeFacts(stage, packages)
  const { archive, checksum } = pack()
  console.log(`${archive}\n${checksum}\n${packages.length} packages, for ${platform}, Node ${engines.node}`)
} finally {
  rmSync(working, { recursive: true, force: true })
}

function stageParts(stage) {
  const isProduction = (path) =>
    !/\.(test|fixture)\.|\.slow\.|\.(map|tsbuildinfo)$|\.d\.ts$/.test(basename(path)) &&
    !/\/dist\/(test|generate)$/.test(path)
  for (const [part, folders] of Object.entries(parts)) {
    for (const folder of folders)
      cpSync(join(root, part, folder), join(stage, part, folder), { recursive: true, filter: isProduction })
    cpSync(join(root, part, 'package.json'), join(stage, part, 'package.json'))
    const link = part === 'cli' ? undefined : join(stage, 'node_modules', '@pennypost', part)
    if (!link) continue
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join('..', '..', part), link)
  }
  for (const document of documents)
    cpSync(join(root, document), join(stage, document), {
      recursive: true,
      // Not what an operator keeps beside the examples.
      filter: (path) => !/\/(gallery|secrets|compose\.env|\.env)$/.test(path),
    })
  mkdirSync(join(stage, 'bin'))
  symlinkSync('../cli/bin/pennypost.mjs', join(stage, 'bin', 'pennypost'))
}

/** What is in the archive, for people and for scanners. */
function writeFacts(stage, packages) {
  const facts = { name: 'pennypost-release', version, private: true, license: 'Apache-2.0', type: 'module', engines }
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(facts, null, 2)}\n`)
  const contents = packages.map(({ name, version, license, integrity }) => ({ name, version, license, integrity }))
  const release = { version, platform, commit: commitOf('%H'), isChanged: isChanged(), packages: contents }
  writeFileSync(join(stage, 'release.json'), `${JSON.stringify(release, null, 2)}\n`)
}

/** Names in order, one time and no owner for all, so that it depends on nothing but the content. */
function pack() {
  mkdirSync(target, { recursive: true })
  const archive = join(target, `${name}.tar.gz`)
  const seconds = process.env.SOURCE_DATE_EPOCH ?? commitOf('%ct') ?? '0'
  const order = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
  const tar = execFileSync('tar', [...order, '--mode=u+rw,go=rX', '-cf', '-', name], {
    cwd: working,
    maxBuffer: 2 ** 30,
  })
  const bytes = gzipSync(tar, { level: 9 })
  writeFileSync(archive, bytes)
  const checksum = `${createHash('sha256').update(bytes).digest('hex')}  ${basename(archive)}`
  writeFileSync(`${archive}.sha256`, `${checksum}\n`)
  return { archive: `${archive} (${(bytes.length / 2 ** 20).toFixed(1)} MiB)`, checksum }
}

/** Undefined in a folder without Git. */
function commitOf(format) {
  try {
    return git('log', '-1', `--format=${format}`)
  } catch {
    return undefined
  }
}

function isChanged() {
  try {
    return git('status', '--porcelain') !== ''
  } catch {
    return undefined
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function fail(reason) {
  console.error(reason)
  process.exit(2)
}
