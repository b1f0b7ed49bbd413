import { deepEqual, ok } from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// The order of the house: a room imports only from the rooms above it in this list.
const rooms = [
  'platform',
  'rails',
  'notifications',
  'accounts',
  'follows',
  'uploads',
  'profiles',
  'posts',
  'payments',
  'access',
  'discussion',
  'discovery',
  'site',
]
// Beside the rooms: the record every operation is given (types only), and the lists that tie the house together.
const lists = ['app.ts', 'service.ts', 'main.ts']
const types = 'services.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const source = join(root, 'server', 'src')

async function sourceFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const isTest = (file: string) => /\.(test|fixture)\.ts$/.test(file) || file.includes(`${sep}test${sep}`)

async function importsOf(file: string): Promise<{ text: string; typeOnly: boolean }[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'/gm)].map((found) => ({
    typeOnly: found[1] !== undefined,
    text: found[2]!,
  }))
}

const roomOf = (file: string) => relative(source, file).split(sep)[0]!

test('a room imports only from the rooms above it', async () => {
  const wrong: string[] = []
  for (const file of (await sourceFiles(source)).filter((name) => !isTest(name))) {
    const room = roomOf(file)
    if (lists.includes(room)) continue
    for (const { text, typeOnly } of await importsOf(file)) {
      if (!text.startsWith('.')) continue
      const target = roomOf(resolve(dirname(file), text))
      if (target === room || (target === types && typeOnly)) continue
      if (room === types && typeOnly) continue
      const allowed =
        rooms.includes(room) && rooms.indexOf(target) !== -1 && rooms.indexOf(target) < rooms.indexOf(room)
      if (!allowed) wrong.push(`${relative(root, file)} imports ${text}`)
    }
  }
  deepEqual(wrong, [])
})

test('the contract knows nothing else, nano runs in a browser too, and the client knows only the contract', async () => {
  const wrong: string[] = []
  for (const [name, allowed] of [
    ['contract', /^(\.|zod$|node:)/],
    ['nano', /^(\.|@noble\/(hashes|curves)\/)/],
    ['sdk', /^(\.|@pennypost\/contract\/|node:)/],
  ] as const) {
    for (const file of (await sourceFiles(join(root, name, 'src'))).filter((found) => !isTest(found))) {
      for (const { text } of await importsOf(file))
        if (!allowed.test(text)) wrong.push(`${relative(root, file)} imports ${text}`)
    }
  }
  deepEqual(wrong, [])
})

test('the environment is read in one place', async () => {
  const readers: string[] = []
  for (const file of (await sourceFiles(source)).filter((name) => !isTest(name))) {
    if (/process\.env\b/.test(await readFile(file, 'utf8'))) readers.push(relative(source, file))
  }
  deepEqual(readers, ['main.ts'])
})

test('domain code asks one clock for the time', async () => {
  const readers: string[] = []
  const files = (await sourceFiles(source)).filter((name) => !isTest(name) && roomOf(name) !== 'platform')
  ok(files.length > 0)
  for (const file of files) {
    if (/\bDate\.now\(\)|new Date\(\)/.test(await readFile(file, 'utf8'))) readers.push(relative(source, file))
  }
  deepEqual(readers, [])
})
