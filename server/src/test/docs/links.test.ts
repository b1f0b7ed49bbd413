import { deepEqual, ok } from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { withOrigin } from '../../site/guides/guide-links.ts'
import { listGuides } from '../../site/guides/guides.ts'
import { attributeOf, elementsOf, visit } from '../../site/site-world.fixture.ts'
import { sharedWorld, type World } from '../world.ts'

// Every link in what we write about the service. Those to our own pages must lead somewhere, anchors included. Others are not
// opened, because tests need no internet: they must be well formed, and lead to one of these hosts.

const otherHosts = [
  'age-encryption.org',
  'api.cdp.coinbase.com',
  'github.com',
  'keepachangelog.com',
  'modelcontextprotocol.io',
  'pgbackrest.org',
  'pubsubhubbub.appspot.com',
  'sharp.pixelplumbing.com',
  'www.gnu.org',
  'www.libvips.org',
  'www.postgresql.org',
  'www.standardwebhooks.com',
]

/**
 * Not links: the API as a whole in the API catalog; the search of the home page, which is there once there are posts; and the
 * page of consent, which needs a request.
 */
const exceptions = ['/api/', '/#search', '/oauth/authorize']

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const known = Object.values<Endpoint>({ ...contract, ...siteContract, ...developmentContract }).map(
  ({ path }) => new RegExp(`^${path.replaceAll(/[.?]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
)

interface Link {
  readonly from: string
  readonly url: string
}

const absolute = /https?:\/\/[^\s"'`<>()[\]\\|]+/g

/** Addresses in a text, without the punctuation of the sentence that they end. */
const addressesIn = (from: string, text: string): Link[] =>
  [...text.matchAll(absolute)].map(([url]) => ({ from, url: url.replace(/[.,:;!?]+$/, '') }))

const withoutCode = (markdown: string): string => markdown.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`]*`/g, '')

function linksIn(from: string, html: string): Link[] {
  return elementsOf(html)
    .filter(({ tagName }) => tagName === 'a' || tagName === 'link')
    .flatMap((element) => {
      const url = attributeOf(element, 'href')
      return url === undefined ? [] : [{ from, url }]
    })
}

async function problems(world: World, links: readonly Link[]): Promise<string[]> {
  const pages = new Map<string, Promise<{ readonly status: number; readonly ids: ReadonlySet<string> }>>()
  const open = (path: string) => {
    const opened =
      pages.get(path) ??
      visit(world, path).then(({ status, text }) => ({
        status,
        ids: new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)),
      }))
    pages.set(path, opened)
    return opened
  }
  const found = new Set<string>()
  for (const { from, url } of links) {
    if (exceptions.includes(url.replace(world.origin, '')) || url.includes('localhost:PORT')) continue
    const resolved = URL.parse(url, `${world.origin}${from}`)
    if (!resolved) found.add(`${from}: ${url} is not a URL`)
    else if (resolved.origin !== world.origin) {
      const isLocal = resolved.hostname === 'localhost' || resolved.hostname === '127.0.0.1'
      const isKnown = isLocal || /(^|\.)example$|^example\.(com|org)$|\.example\./.test(resolved.hostname)
      if (!isKnown && !otherHosts.includes(resolved.hostname))
        found.add(`${from}: ${url} leads to a host we do not know`)
    } else if (/[{…$]|%7B|\/[A-Z_]{4,}\b(?!\.md)/.test(url)) {
      const path = decodeURIComponent(resolved.pathname).replaceAll(/[{}…$]/g, 'x')
      if (!known.some((pattern) => pattern.test(path))) found.add(`${from}: ${url} is no path of ours`)
    } else {
      const anchor = decodeURIComponent(resolved.hash.slice(1))
      // The anchors of a guide's Markdown are those of its page.
      const path = anchor === '' ? resolved.pathname : resolved.pathname.replace(/\.md$/, '')
      const { status, ids } = await open(path + resolved.search)
      if (status >= 400 && ![401, 402, 405].includes(status)) found.add(`${from}: ${url} is ${status}`)
      else if (anchor !== '' && !anchor.startsWith('token=') && !ids.has(anchor))
        found.add(`${from}: ${url} has no such anchor`)
    }
  }
  return [...found]
}

test('every link of the reference, the guides and the pages of problems leads somewhere', async (t) => {
  const world = await sharedWorld(t)
  const reference = (await visit(world, '/docs')).text
  const codes = new Set([...reference.matchAll(/href="(\/problems\/[^"]+)"/g)].map(([, path]) => path!))
  ok(codes.size > 100)
  const links = linksIn('/docs', reference)
  for (const path of [...listGuides().map(({ slug }) => `/docs/${slug}`), ...[...codes].slice(0, 40)])
    links.push(...linksIn(path, (await visit(world, path)).text))
  deepEqual(await problems(world, links), [])
})

test('every address in llms.txt, SKILL.md, the agent card and the Markdown of guides leads somewhere', async (t) => {
  const world = await sharedWorld(t)
  const paths = ['/llms.txt', '/SKILL.md', '/.well-known/agent-card.json', '/.well-known/api-catalog']
  const links: Link[] = []
  for (const path of [...paths, ...listGuides().map(({ slug }) => `/docs/${slug}.md`)]) {
    const { status, text } = await visit(world, path)
    ok(status === 200, path)
    links.push(...addressesIn(path, path.startsWith('/docs/') ? withoutCode(text) : text.replace(/^```.*?^```/gms, '')))
  }
  deepEqual(await problems(world, links), [])
})

test('every address of our own in README and docs leads somewhere', async (t) => {
  const world = await sharedWorld(t)
  const files = [
    'README.md',
    ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ]
  const links: Link[] = []
  for (const file of files) {
    const text = withoutCode(await readFile(join(root, file), 'utf8'))
    const own = withOrigin(text, world.origin).replaceAll('http://localhost:3000', world.origin)
    links.push(...addressesIn(`/${file}`, own))
  }
  deepEqual(await problems(world, links), [])
})
