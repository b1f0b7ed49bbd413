// The SDK in pages of another site.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { nanoAddress, register } from './people.mjs'
import { useWorld } from './world.mjs'

const world = useWorld(async (opened) => {
  const ada = await register(opened, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await ada.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  return { ada }
})

// A page without a policy, and the file that programs load.
const site = createServer((request, response) => {
  const isScript = request.url === '/pennypost.js'
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(isScript ? readFileSync(new URL('../../sdk/bundle/index.js', import.meta.url)) : '<!doctype html>')
})
before(() => new Promise((resolve) => site.listen(0, 'localhost', resolve)))
after(() => site.close())

/** A tab of the other site. What it sends to the service is in `sent`. */
async function openTab(context, sent = []) {
  const page = await context.newPage()
  page.on('request', (request) => {
    if (request.url().startsWith(world.origin) && request.method() !== 'OPTIONS')
      sent.push(new URL(request.url()).pathname)
  })
  await page.goto(`http://localhost:${site.address().port}/`)
  return page
}

const inTab = (page, run, input) => page.evaluate(run, { baseUrl: world.origin, script: '/pennypost.js', ...input })

test('a page of another site publishes, reads, uploads, and sees errors with their request id', async () => {
  const context = await world.browser.newContext()
  const page = await openTab(context)
  const { key: publishingKey } = (await world.fixture.ada.owner.issueKey({ body: { label: 'page' } })).body
  const seen = await inTab(
    page,
    async ({ baseUrl, script, publishingKey }) => {
      const { Pennypost } = await import(script)
      const pennypost = new Pennypost({ baseUrl, publishingKey })
      const post = await pennypost.posts.publish({
        title: 'From a browser',
        freeContentMarkdown: 'Hello',
        category: 'technology',
        language: 'en',
        creationMethod: 'human',
        creationAttested: true,
      })
      const canvas = document.createElement('canvas')
      canvas.getContext('2d').fillRect(0, 0, 10, 10)
      const image = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
      const { publicUrl } = await pennypost.images.uploadAvatar(image)
      const error = await pennypost.posts.get('0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f').catch((thrown) => thrown)
      const { title } = await pennypost.posts.get(post.id)
      return { title, publicUrl, code: error.code, requestId: error.requestId }
    },
    { publishingKey },
  )
  deepEqual([seen.title, seen.code], ['From a browser', 'post-not-found'])
  ok(seen.publicUrl.includes('/media/'))
  ok(seen.requestId, 'the header can be read by pages of other sites')
  await context.close()
})

test('four tabs with an expired token refresh once', async () => {
  const context = await world.browser.newContext()
  const sent = []
  const tabs = await Promise.all([1, 2, 3, 4].map(() => openTab(context, sent)))
  const session = { ...world.fixture.ada.pair, expiresAt: 1 }
  const handles = await Promise.all(
    tabs.map((page) =>
      inTab(
        page,
        async ({ baseUrl, script, session }) => {
          const { browserStore, Pennypost } = await import(script)
          const pennypost = new Pennypost({ baseUrl, session, store: browserStore() })
          const [first, second] = await Promise.all([pennypost.profile.me(), pennypost.profile.me()])
          return [first.profile.handle, second.profile.handle]
        },
        { session },
      ),
    ),
  )
  deepEqual(handles.flat(), Array(8).fill('ada_marlow'))
  equal(sent.filter((path) => path === '/api/v1/auth/refresh').length, 1)
  await context.close()
})
