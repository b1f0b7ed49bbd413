import { equal, rejects } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fetchFile, isPrivate } from './fetch-image.ts'
import { redirectMap } from './redirect-map.ts'

test('addresses of the machine and its network are private', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.0.1',
    '172.20.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
  ])
    equal(isPrivate(address), true, address)
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8'])
    equal(isPrivate(address), false, address)
})

test('what an archive names is fetched only from public addresses, within limits', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/loop') return void response.writeHead(302, { location: '/loop' }).end()
    if (request.url === '/inside') return void response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    if (request.url === '/endless') return void request.on('close', () => response.destroy())
    if (request.url === '/missing') return void response.writeHead(404).end()
    response.end('x'.repeat(request.url === '/big' ? 1000 : 10))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { maxBytes: 100, allowPrivate: true, timeoutMs: 500 }
  equal((await fetchFile(`${origin}/a`, options)).byteLength, 10)
  for (const path of ['/big', '/loop', '/inside', '/endless', '/missing'])
    await rejects(fetchFile(`${origin}${path}`, options), { name: 'FetchError' }, path)
  for (const url of [
    `${origin}/a`,
    origin.replace('127.0.0.1', 'localhost'),
    'http://[::1]:1/',
    'http://2130706433/',
    'file:///etc/passwd',
  ])
    await rejects(fetchFile(url, { maxBytes: 100, timeoutMs: 2000 }), { name: 'FetchError' }, url)
})

test('a redirect map has paths and nothing else, whatever an archive called them', () => {
  const post = { sourceId: 'a', title: 'A', outcome: 'created', status: 'published', notes: [] } as const
  const posts = [
    { ...post, pageUrl: 'https://new.example/@ada/a', oldPaths: ['/old/a', '/%C3%BC'] },
    { ...post, pageUrl: 'https://new.example/@ada/b', oldPaths: ['/*', '/$uri', '/a";}'] },
    { ...post, status: 'draft', pageUrl: 'https://new.example/@ada/c', oldPaths: ['/draft'] },
  ] as const
  equal(redirectMap({ posts }, 'caddy').split('\n').length, 5)
  equal(
    redirectMap({ posts }, 'nginx'),
    'map $uri $pennypost_url {\n  "/old/a" "https://new.example/@ada/a";\n  "/old/a/" "https://new.example/@ada/a";\n  "/ü" "https://new.example/@ada/a";\n  "/ü/" "https://new.example/@ada/a";\n}\n',
  )
  equal(redirectMap({ posts }, 'csv').split('\r\n').length, 7)
  equal(redirectMap({ posts }, 'netlify').includes('draft'), false)
})
