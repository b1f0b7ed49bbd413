// A program asks for access: the consent page, with and without scripts, and the settings afterwards.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { accessibilityViolations, overflowAt } from './accessibility.mjs'
import { createFixture } from './fixture.mjs'
import { signIn } from './people.mjs'
import { openPage, useWorld } from './world.mjs'

const world = useWorld(createFixture)

/** A program on this device that waits for the browser to come back. */
async function program(t, { scope = 'read interact publish earnings', name = 'Desk robot' } = {}) {
  const server = createServer((request, response) => {
    server.emit('returned', new URL(request.url, 'http://127.0.0.1').searchParams)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back</title><h1>Back in the program</h1>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const redirect_uri = `http://127.0.0.1:${server.address().port}/callback`
  const post = async (path, type, body) => {
    const reply = await fetch(world.origin + path, { method: 'POST', headers: { 'content-type': type }, body })
    return reply.json()
  }
  const { client_id } = await post(
    '/oauth/register',
    'application/json',
    JSON.stringify({ client_name: name, redirect_uris: ['http://127.0.0.1/callback'] }),
  )
  const code_verifier = randomBytes(32).toString('base64url')
  const link = `${world.origin}/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope,
    state: 'x',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`
  const returned = new Promise((resolve) => server.once('returned', resolve))
  const exchange = async () => {
    const code = (await returned).get('code')
    const form = { grant_type: 'authorization_code', client_id, code, code_verifier, redirect_uri }
    return post('/oauth/token', 'application/x-www-form-urlencoded', new URLSearchParams(form))
  }
  return { link, returned, exchange }
}

test('a person signs in, allows a program, sees it in the settings and disconnects it', async (t) => {
  const { link, exchange } = await program(t)
  const opened = await openPage(world)
  const { page } = opened
  const { ada } = world.fixture
  await page.goto(link)
  await page.waitForURL(/\/sign-in\?/)
  await page.getByText('Sign in to connect a program.').waitFor()
  const asked = page.url()
  await signIn(opened, world, ada)
  await page.goto(asked)
  await page.getByRole('heading', { name: 'Connect a program?' }).waitFor()
  await page.locator('main').getByText(`@${ada.handle}`).waitFor()
  deepEqual(await accessibilityViolations(page), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Back in the program').waitFor()
  const { access_token } = await exchange()
  const me = () => fetch(`${world.origin}/api/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })
  equal((await me()).status, 200)
  await page.goto(`${world.origin}/settings/programs`)
  await page.getByText('Desk robot').waitFor()
  await page.getByText(/last used just now/).waitFor()
  deepEqual(await accessibilityViolations(page), [])
  equal(await overflowAt(page, 320), undefined)
  await page.getByRole('button', { name: 'Disconnect: Desk robot' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No programs are connected.').waitFor()
  equal((await me()).status, 401)
  deepEqual(
    opened.complaints.filter((text) => !text.includes(' requested http://127.0.0.1:')),
    [],
  )
})

test('the consent page works without scripts and cannot be framed', async (t) => {
  const { link, returned } = await program(t)
  const opened = await openPage(world)
  await signIn(opened, world, world.fixture.tomas)
  const cookies = await opened.page.context().cookies()
  const context = await world.browser.newContext({ javaScriptEnabled: false })
  t.after(() => context.close())
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Decline' }).click()
  equal((await returned).get('error'), 'access_denied')
  await page.getByText('Back in the program').waitFor()
  match(page.url(), /error=access_denied/)
  const { headers } = await fetch(link, {
    headers: { cookie: cookies.map((one) => `${one.name}=${one.value}`).join('; ') },
  })
  ok(headers.get('content-security-policy').includes("frame-ancestors 'none'"))
})
