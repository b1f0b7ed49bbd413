import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { contract, siteContract } from '@pennypost/contract/contract'
import { readConfig } from '../config.ts'
import { attributeOf, authorIn, childOf, childrenOf, elementsOf, parseXml, visit } from './site-world.fixture.ts'

test('browsers find the search of the site by any page', async (t) => {
  const { world } = await authorIn(t)
  const link = elementsOf((await visit(world, '/')).text).find((found) => attributeOf(found, 'rel') === 'search')
  equal(attributeOf(link, 'href'), '/opensearch.xml')
  const { headers, text } = await visit(world, '/opensearch.xml')
  match(headers['content-type']!, /^application\/opensearchdescription\+xml/)
  const root = parseXml(text)
  equal(root.attributes.xmlns, 'http://a9.com/-/spec/opensearch/1.1/')
  equal(childOf(root, 'ShortName').text, 'Pennypost')
  const [page] = childrenOf(root, 'Url')
  deepEqual([page!.attributes.type, page!.attributes.template], ['text/html', `${world.origin}/?q={searchTerms}`])
  equal((await visit(world, '/?q=engines')).status, 200)
})

test('robots.txt names the licence; it says what the operator allows, and that the rest is sold', async (t) => {
  const { world } = await authorIn(t)
  const robots = await visit(world, '/robots.txt')
  ok(robots.text.split('\n').includes(`License: ${world.origin}/license.xml`))
  const read = async () => {
    const { headers, text } = await visit(world, '/license.xml')
    match(headers['content-type']!, /^application\/rsl\+xml/)
    const root = parseXml(text)
    deepEqual([root.name, root.attributes.xmlns], ['rsl', 'https://rslstandard.org/rsl'])
    const [free, sold] = childrenOf(root, 'content')
    deepEqual([free!.attributes.url, sold!.attributes.url], ['/', '/api/posts/*/access'])
    const license = childOf(free!, 'license')
    equal(childOf(childOf(childOf(sold!, 'license'), 'payment'), 'custom').text, `${world.origin}/.well-known/x402`)
    return [childOf(license, 'permits').text, childrenOf(license, 'prohibits').map(({ text: uses }) => uses)]
  }
  deepEqual(await read(), ['search,ai-index,ai-input', ['ai-train']])
  const { config } = world.services
  t.after(() => Object.assign(world.services, { config }))
  const { crawlersMay } = readConfig({ CRAWLERS_MAY: 'search,ai-train' })
  Object.assign(world.services, { config: { ...config, crawlersMay } })
  deepEqual(await read(), ['search,ai-train', []])
})

test('the API catalog is a linkset, and every link in it leads somewhere', async (t) => {
  const { world } = await authorIn(t)
  const { headers, text } = await visit(world, '/.well-known/api-catalog')
  match(
    headers['content-type']!,
    /^application\/linkset\+json; profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"/,
  )
  equal(headers.link, `<${world.origin}/.well-known/api-catalog>; rel="api-catalog"`)
  const { linkset } = JSON.parse(text) as { linkset: ({ anchor: string } & Record<string, unknown>)[] }
  const [api, mcp] = linkset.map(({ anchor, ...relations }) => [anchor, Object.keys(relations)])
  deepEqual(api, [`${world.origin}/api/`, ['service-desc', 'service-doc', 'service-meta', 'status']])
  deepEqual(mcp, [`${world.origin}/mcp`, ['service-doc', 'service-meta']])
  const links = linkset.flatMap(({ anchor: _, ...relations }) => Object.values(relations).flat())
  for (const { href, type } of links as { href: string; type: string }[]) {
    const reply = await visit(world, href.slice(world.origin.length))
    equal(reply.status, 200, href)
    ok(reply.headers['content-type']!.startsWith(type), href)
  }
})

test('the agent card names what the service does and where it is described, and promises no conversation', async (t) => {
  const { world } = await authorIn(t)
  const { headers, text } = await visit(world, '/.well-known/agent-card.json')
  match(headers['content-type']!, /^application\/json/)
  const card = JSON.parse(text)
  for (const field of ['name', 'description', 'version', 'capabilities', 'defaultInputModes', 'defaultOutputModes'])
    ok(card[field], field)
  deepEqual(
    card.skills.map(({ id }: { id: string }) => id),
    ['search', 'read', 'buy', 'publish'],
  )
  for (const { name, description, tags } of card.skills) ok(name && description && tags.length > 0)
  deepEqual(card.capabilities, { streaming: false, pushNotifications: false })
  for (const url of [card.documentationUrl, card.iconUrl, card.url, card.supportedInterfaces[0].url])
    equal((await visit(world, url.slice(world.origin.length))).status, 200, url)
  ok(!/JSONRPC|GRPC|HTTP\+JSON/.test(text))
  equal(card.supportedInterfaces[1].url, `${world.origin}/mcp`)
  const { oauth2MetadataUrl, flows } = card.securitySchemes.oauth
  const metadata = JSON.parse((await visit(world, oauth2MetadataUrl.slice(world.origin.length))).text)
  const { authorizationUrl, tokenUrl, scopes } = flows.authorizationCode
  deepEqual([authorizationUrl, tokenUrl], [metadata.authorization_endpoint, metadata.token_endpoint])
  deepEqual(Object.keys(scopes), metadata.scopes_supported)
})

test('the skill has a name and a description, and every path in it exists', async (t) => {
  const { world } = await authorIn(t)
  const { headers, text } = await visit(world, '/SKILL.md')
  match(headers['content-type']!, /^text\/markdown/)
  const [, front = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? []
  match(front, /^name: [a-z0-9-]{1,64}$/m)
  const [, description = ''] = /^description: (.+)$/m.exec(front) ?? []
  ok(description.length > 40 && description.length <= 1024)
  const known = Object.values({ ...contract, ...siteContract }).map(
    ({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  )
  const own = text.replaceAll(world.origin, '')
  const paths = [...own.matchAll(/(?<=[\s"`(])\/[A-Za-z.][\w./${}-]*/g)].map(([path]) => path.replace(/[.)]$/, ''))
  ok(paths.length > 12)
  for (const path of paths)
    ok(
      known.some((pattern) => pattern.test(path.replace(/\$\{[^}]*\}/, 'x'))),
      path,
    )
  const llms = await visit(world, '/llms.txt')
  for (const path of ['/SKILL.md', '/.well-known/x402', '/.well-known/api-catalog', '/.well-known/agent-card.json'])
    ok(llms.text.includes(`(${world.origin}${path})`), path)
  for (const path of ['/mcp', '/docs/oauth.md']) ok(llms.text.includes(world.origin + path), path)
})
