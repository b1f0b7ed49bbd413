import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { DocsEntry } from '@pennypost/contract/guides'
import { defaultSiteSettings } from '@pennypost/contract/site-settings'
import { sharedWorld } from '../../test/world.ts'
import { attributeOf, elementsOf, markupErrors, visit } from '../site-world.fixture.ts'
import { readGuideFiles } from './guide-files.ts'
import { linkToPages, withOrigin } from './guide-links.ts'

const guideFiles = readGuideFiles()
const guides = ['quick-start', 'publish-with-an-agent', 'sell-files', 'pay-as-an-agent', 'run-in-production', 'moving']

test('a guide is a page of the site: complete without a script, with this service in its samples', async (t) => {
  const world = await sharedWorld(t)
  for (const { slug, title, description } of guideFiles) {
    const { status, headers, text } = await visit(world, `/docs/${slug}`)
    equal(status, 200, slug)
    match(headers['content-type']!, /^text\/html/)
    match(headers['content-security-policy']!, /default-src 'none'/)
    deepEqual(markupErrors(text), [], slug)
    ok(text.includes(`<title>${title} · ${defaultSiteSettings.name}</title>`), slug)
    ok(text.includes('<meta name="description"') && description.length > 10, slug)
    doesNotMatch(text, /your\.site\/|https:\/\/pennypost\.example/)
    const elements = elementsOf(text)
    const ids = elements.flatMap((element) => attributeOf(element, 'id') ?? [])
    equal(new Set(ids).size, ids.length, slug)
    ok(elements.some((element) => attributeOf(element, 'aria-current') === 'page'))
    const scripts = elements.filter(({ tagName }) => tagName === 'script')
    ok(scripts.every((element) => attributeOf(element, 'src')?.startsWith('/assets/')))
  }
})

test('a guide on a machine of your own has its port; one on the internet still says where yours is', () => {
  const text = 'https://your.site/join http://localhost:3000/dev/mail'
  equal(withOrigin(text, 'http://localhost:4000'), 'http://localhost:4000/join http://localhost:4000/dev/mail')
  equal(withOrigin(text, 'https://a.example'), 'https://a.example/join http://localhost:3000/dev/mail')
})

test('the first guides are there, each leads to the next and back', async (t) => {
  const world = await sharedWorld(t)
  deepEqual(
    guideFiles.slice(0, guides.length).map(({ slug }) => slug),
    guides,
  )
  for (const [index, slug] of guides.entries()) {
    const links = elementsOf((await visit(world, `/docs/${slug}`)).text).filter(({ tagName }) => tagName === 'a')
    const to = (rel: string) =>
      attributeOf(
        links.find((link) => attributeOf(link, 'rel') === rel),
        'href',
      )
    equal(to('prev'), index === 0 ? undefined : `/docs/${guides[index - 1]}`)
    equal(to('next'), `/docs/${guideFiles[index + 1]!.slug}`)
  }
})

test('a sample in three languages is a group of radio buttons, one of them chosen', async (t) => {
  const world = await sharedWorld(t)
  const { text } = await visit(world, '/docs/quick-start')
  const tabs = elementsOf(text).filter((element) => attributeOf(element, 'name') === 'sample-1')
  deepEqual(
    tabs.map((tab) => [attributeOf(tab, 'value'), attributeOf(tab, 'checked')]),
    [
      ['sh', ''],
      ['js', undefined],
      ['python', undefined],
    ],
  )
  for (const tab of tabs) ok(text.includes(`<label for="${attributeOf(tab, 'id')}">`))
})

test('with .md, a guide is Markdown whose links are absolute and lead to Markdown', async (t) => {
  const world = await sharedWorld(t)
  const { status, headers, text } = await visit(world, '/docs/quick-start.md')
  equal(status, 200)
  match(headers['content-type']!, /^text\/markdown/)
  match(text, /^# Quick start\n/)
  ok(text.includes(`](${world.origin}/docs/sdk.md)`))
  ok(text.includes(`curl -s ${world.origin}/api/v1/posts`))
  doesNotMatch(text, /your\.site\/|\]\((?!https?:|#)/)
})

test('the changelog is one of the pages', async (t) => {
  const world = await sharedWorld(t)
  match((await visit(world, '/docs/changelog')).text, /<h1 id="changelog">Changelog<\/h1>/)
})

test('an unknown guide is not found, as a page or as a problem', async (t) => {
  const world = await sharedWorld(t)
  for (const slug of ['nothing', 'README', '..%2fpackage', '__proto__', 'quick-start.html', 'docs%2Fquick-start']) {
    equal((await visit(world, `/docs/${slug}`)).status, 404, slug)
    const markdown = await visit(world, `/docs/${slug}.md`)
    equal(markdown.status, 404, slug)
  }
  equal(JSON.parse((await visit(world, '/docs/nothing.md')).text).code, 'guide-not-found')
})

test('the search has every guide, their sections and every operation; each leads somewhere', async (t) => {
  const world = await sharedWorld(t)
  const { headers, text } = await visit(world, '/docs/entries.json')
  match(headers['content-type']!, /^application\/json/)
  const entries = JSON.parse(text) as DocsEntry[]
  const pages = new Map<string, Set<string>>()
  for (const { url, title, text: body } of entries) {
    ok(title && body !== undefined)
    const [path, anchor] = url.split('#') as [string, string?]
    if (!pages.has(path)) {
      const page = await visit(world, path)
      equal(page.status, 200, path)
      pages.set(path, new Set([...page.text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)))
    }
    ok(anchor === undefined || pages.get(path)!.has(anchor), url)
  }
  deepEqual([...pages.keys()].sort(), ['/docs', ...guideFiles.map(({ slug }) => `/docs/${slug}`)].sort())
  ok(entries.some(({ kind, title }) => kind === 'operation' && title === 'createPost'))
  ok(entries.some(({ title, context }) => title === 'Attach the file' && context === 'Sell files'))
})

test('guides are in the sitemap, in llms.txt and in the reference', async (t) => {
  const world = await sharedWorld(t)
  const sitemap = (await visit(world, '/sitemaps/site.xml')).text
  const llms = (await visit(world, '/llms.txt')).text
  const reference = (await visit(world, '/docs')).text
  for (const { slug, title } of guideFiles) {
    ok(sitemap.includes(`<loc>${world.origin}/docs/${slug}</loc>`), slug)
    ok(llms.includes(`[${title}](${world.origin}/docs/${slug}.md)`), slug)
    ok(reference.includes(`<a href="/docs/${slug}">`), slug)
  }
  ok(llms.includes(`(${world.origin}/.well-known/x402)`))
  match((await visit(world, '/')).text, /<a href="\/docs\/quick-start">/)
})

test('links to other pages lead to their guides; files that only the repository has are named', () => {
  const [first, second] = guideFiles as [(typeof guideFiles)[0], (typeof guideFiles)[0]]
  const markdown = `[one](${second.slug}.md#a) [two](decisions/0001.md) [three](https://example.org) [four](#below)
\`\`\`
[five](${second.slug}.md)
\`\`\`
`
  equal(
    linkToPages({ ...first, markdown }, guideFiles),
    `[one](/docs/${second.slug}#a) two [three](https://example.org) [four](#below)
\`\`\`
[five](${second.slug}.md)
\`\`\`
`,
  )
})
