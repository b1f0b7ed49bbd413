import { deepEqual } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { limitsByName } from '@pennypost/contract/contract'
import { allSettings } from '../../config.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const page = (path: string) => readFile(join(root, path), 'utf8')
const files = filesBelow('')
const pages = async () => (await files).filter((path) => path.endsWith('.md'))

test('docs/settings.md has the row of every setting, and no other', async () => {
  const text = await page('docs/settings.md')
  const expected = Object.entries(allSettings).map(([name, { default: value, unset, help }]) => {
    const otherwise = value === undefined ? unset : `\`${value}\``
    return `| \`${name}\` | ${otherwise} | ${help} |`
  })
  deepEqual(text.match(/^\| `.*$/gm)?.sort(), expected.sort())
  const required = Object.entries(allSettings).filter(([, { production }]) => production === 'required')
  deepEqual(
    [...text.matchAll(/^Production requires (.*)\.$/gm)].flatMap(([, names]) => names!.match(/[A-Z_]+/g)).sort(),
    required.map(([name]) => name).sort(),
  )
})

test('docs/settings.md lists every rate limit with its figures', async () => {
  const subjects = {
    ip: 'address',
    account: 'account',
    'account-or-ip': 'account or address',
    recipient: 'recipient',
    'recipient-and-sender': 'recipient and sender',
  }
  const rows = [...(await page('docs/settings.md')).matchAll(/^\| ([a-z0-9-]+) \| (\d+ in \d+ s) \| ([^|]+) \|/gm)]
  deepEqual(
    rows.map(([, name, figures, subject]) => [name, figures, subject]),
    [...limitsByName.values()]
      .map(({ name, max, seconds, per }) => [name, `${max} in ${seconds} s`, subjects[per]])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  )
})

test('decisions are numbered without gaps, and the index lists each with its title', async () => {
  const names = (await readdir(join(root, 'docs/decisions'))).filter((name) => /^\d{4}-.*\.md$/.test(name)).sort()
  deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, index) => index + 1),
  )
  const titles = await Promise.all(
    names.map(async (name) => {
      const [heading] = (await page(`docs/decisions/${name}`)).split('\n')
      return [name, heading!.replace(/^# \d+\. /, '')]
    }),
  )
  const index = await page('docs/decisions/README.md')
  deepEqual(
    [...index.matchAll(/\[([^\]]+)\]\((\d{4}-[^)]+)\)/g)].map(([, title, name]) => [name, title]),
    titles,
  )
})

test('every link between our pages leads to a file and a heading', async () => {
  const broken: string[] = []
  for (const path of await pages()) {
    const text = (await page(path)).replace(/^```.*?^```/gms, '')
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue
      const [file, heading] = target!.split('#') as [string, string?]
      const found = file === '' ? path : join(dirname(path), file)
      const isThere = existsSync(join(root, found)) && (!heading || headings(await page(found)).includes(heading))
      if (!isThere) broken.push(`${path}: ${target}`)
    }
  }
  deepEqual(broken, [])
})

test('every source file that a page names exists', async () => {
  const all = `\n/${(await files).join('\n/')}\n`
  const missing: string[] = []
  for (const path of await pages()) {
    // In backticks, or first in a line of a list of files.
    for (const [, name] of (await page(path)).matchAll(/(?:`|^)([\w./-]+\.(?:ts|mjs|sql))(?:`| {2,})/gm))
      if (!all.includes(`/${name}\n`)) missing.push(`${path}: ${name}`)
  }
  deepEqual(missing, [])
})

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const found = entries.filter((each) => each.isFile()).map(({ name }) => join(folder, name))
  const folders = entries.filter(
    (each) => each.isDirectory() && !/^\.|^(node_modules|dist|bundle|data)$/.test(each.name),
  )
  const below = await Promise.all(folders.map(({ name }) => filesBelow(join(folder, name))))
  return [...found, ...below.flat()]
}

/** The anchors of a page's headings, as GitHub generates them. */
const headings = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
