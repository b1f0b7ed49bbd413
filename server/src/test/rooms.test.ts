import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { jobs } from '../rooms.ts'

// The order of the rooms: a room imports only from rooms above it in this list.
const rooms = [
  'platform',
  'rails',
  'notifications',
  'webhooks',
  'accounts',
  'uploads',
  'profiles',
  'posts',
  'imports',
  'statistics',
  'payments',
  'access',
  'discussion',
  'discovery',
  'site',
  'subscriptions',
  'oauth',
  'personal-data',
  'mcp',
  'admin',
  'development',
]
// Outside the rooms: what puts them together, and the operator's commands, which may look into all of them.
const assembly = [
  'app.ts',
  'rooms.ts',
  'config.ts',
  'services.ts',
  'service.ts',
  'operator',
  'main.ts',
  'write-docs.ts',
]

const root = fileURLToPath(new URL('../../..', import.meta.url))
const source = join(root, 'server', 'src')

async function sourceFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const isTest = (file: string) => /\.(test|fixture)\.ts$/.test(file) || file.includes(`${sep}test${sep}`)

/** The paths a file imports, including type imports. */
async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  const found = text.matchAll(/(?:^(?:import|export)\s[^'"]*?from\s+|^import\s+|\bimport\(\s*)'([^']+)'/gm)
  return [...found].map(([, name]) => name!)
}

const roomOf = (file: string) => relative(source, file).split(sep)[0]!

test('a room imports only from the rooms above it', async () => {
  const wrong: string[] = []
  for (const file of (await sourceFiles(source)).filter((name) => !isTest(name))) {
    const room = roomOf(file)
    if (assembly.includes(room)) continue
    for (const text of await importsOf(file)) {
      if (!text.startsWith('.')) continue
      const target = roomOf(resolve(dirname(file), text))
      if (target === room) continue
      const allowed =
        rooms.includes(room) && rooms.indexOf(target) !== -1 && rooms.indexOf(target) < rooms.indexOf(room)
      if (!allowed) wrong.push(`${relative(root, file)} imports ${text}`)
    }
  }
  deepEqual(wrong, [])
})

test('every job is in the list of exactly one room', async () => {
  const files = (await sourceFiles(source)).filter((name) => name.endsWith('.job.ts'))
  ok(files.length > 0)
  const exported: unknown[] = []
  for (const file of files) {
    const compiled = join(root, 'server', 'dist', relative(source, file)).replace(/\.ts$/, '.js')
    const values = Object.values(await import(pathToFileURL(compiled).href))
    exported.push(...values.filter((value) => value !== null && typeof value === 'object' && 'run' in value))
  }
  const names = (list: readonly unknown[]) => list.map((job) => (job as { name: string }).name).sort()
  deepEqual(names(jobs), names(exported))
  equal(new Set(names(jobs)).size, jobs.length)
})

test('the contract imports nothing, and nano runs in a browser too', async () => {
  const wrong: string[] = []
  for (const [name, allowed] of [
    ['contract', /^(\.|zod$|node:)/],
    ['nano', /^(\.|@noble\/(hashes|curves)\/)/],
  ] as const) {
    for (const file of (await sourceFiles(join(root, name, 'src'))).filter((found) => !isTest(found))) {
      for (const text of await importsOf(file))
        if (!allowed.test(text)) wrong.push(`${relative(root, file)} imports ${text}`)
    }
  }
  deepEqual(wrong, [])
})

test('the SDK loads no schemas, Nano only in `nano`, and Node only in `node`', async () => {
  const wrong: string[] = []
  const folder = join(root, 'sdk', 'src')
  const special: Readonly<Record<string, RegExp>> = { 'nano.ts': /^@pennypost\/nano\//, 'node.ts': /^node:/ }
  const files = await sourceFiles(folder)
  // What makes the generated files runs here only.
  for (const file of files.filter((found) => !isTest(found) && !relative(folder, found).startsWith('generate/'))) {
    const name = relative(folder, file)
    for (const text of await importsOf(file)) {
      const isAllowed = /^(\.|@pennypost\/contract\/(money|read-events)$)/.test(text) || special[name]?.test(text)
      if (!isAllowed) wrong.push(`${name} imports ${text}`)
    }
  }
  deepEqual(wrong, [])
})

/** The files of an import cycle, each importing the next, or undefined when there is none. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>()
  const path: string[] = []
  const visit = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (finished.has(file)) return undefined
    path.push(file)
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target)
      if (cycle) return cycle
    }
    path.pop()
    finished.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file)
    if (cycle) return cycle
  }
  return undefined
}

test('an import cycle is found', () => {
  deepEqual(
    findCycle(
      new Map([
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', ['d']],
        ['d', ['b']],
      ]),
    ),
    ['b', 'c', 'd', 'b'],
  )
})

test('no file is part of an import cycle, types included', async () => {
  const graph = new Map<string, string[]>()
  for (const workspace of ['server', 'contract', 'sdk', 'site', 'nano', 'cli']) {
    for (const file of (await sourceFiles(join(root, workspace, 'src'))).filter((name) => !isTest(name))) {
      const targets = (await importsOf(file)).map((name) => {
        const [, owner, path] = /^@pennypost\/(\w+)\/(.+)$/.exec(name) ?? []
        return owner ? `${owner}/src/${path}.ts` : relative(root, resolve(dirname(file), name))
      })
      graph.set(relative(root, file), targets)
    }
  }
  ok([...graph.values()].flat().filter((target) => graph.has(target)).length > graph.size)
  equal(findCycle(graph), undefined)
})

test('settings are read from process.env in one place', async () => {
  const readers: string[] = []
  for (const file of (await sourceFiles(source)).filter((name) => !isTest(name))) {
    // Samples for others are text. Where programs are installed is no setting of ours.
    if (file.endsWith('javascript-example.ts')) continue
    if (/process\.env\b(?!\.PATH\b)/.test(await readFile(file, 'utf8'))) readers.push(relative(source, file))
  }
  deepEqual(readers, ['main.ts'])
})

test('domain code reads the time from one clock', async () => {
  const readers: string[] = []
  const files = (await sourceFiles(source)).filter((name) => !isTest(name) && roomOf(name) !== 'platform')
  ok(files.length > 0)
  for (const file of files) {
    if (/\bDate\.now\(\)|new Date\(\)/.test(await readFile(file, 'utf8'))) readers.push(relative(source, file))
  }
  deepEqual(readers, [])
})
