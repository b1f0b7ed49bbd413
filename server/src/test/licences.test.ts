import { deepEqual, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Locked {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

/** The licences of all runtime packages, on every platform, with the packages that use them. */
async function licences(): Promise<Map<string, string[]>> {
  const { packages } = JSON.parse(await readFile(`${root}/package-lock.json`, 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = new Map<string, string[]>()
  for (const [path, { license = 'none', dev, link }] of Object.entries(packages)) {
    if (dev || link || !path.includes('node_modules/')) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    for (const part of license.split(' AND ')) found.set(part, [...(found.get(part) ?? []), name])
  }
  return found
}

test('every licence of our dependencies is documented', async () => {
  const page = await readFile(`${root}/docs/third-party.md`, 'utf8')
  const silent = [...(await licences())].filter(([licence]) => !page.includes(licence))
  deepEqual(silent, [])
})

test('licences that require more than their text are named', async () => {
  const page = await readFile(`${root}/docs/third-party.md`, 'utf8')
  const simple = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'MIT OR Apache-2.0', 'MIT-0', '0BSD']
  for (const [licence, names] of await licences()) {
    if (simple.includes(licence)) continue
    // The page names the packages of all platforms once.
    for (const name of names)
      ok(page.includes(name.replace(/(sharp-libvips|sharp-win32)-.*/, '$1-')), `${licence} ${name}`)
  }
})
