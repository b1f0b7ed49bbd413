import { doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { multipart, nothing, raw } from '@pennypost/contract/body'
import { contract } from '@pennypost/contract/contract'
import type { CapturedMail } from '@pennypost/contract/development-tools'
import { type Contract, endpoint } from '@pennypost/contract/endpoint'
import { commonRefusals, refusalsOf } from '@pennypost/contract/errors'
import { keyIdempotency } from '@pennypost/contract/idempotency'
import { limit } from '@pennypost/contract/limit'
import { problemNotFound } from '@pennypost/contract/platform-operations'
import { refusal, snakeCase } from '@pennypost/contract/refusal'
import { defaultSiteSettings } from '@pennypost/contract/site-settings'
import { z } from 'zod'
import { capturedMailPage } from '../../development/captured-mail-page.ts'
import { bareLayout } from '../http/page.fixture.ts'
import { Refused } from '../http/refuse.ts'
import { problemHandler } from './get-problem.ts'
import { renderReference } from './render-reference.ts'
import { showReference } from './show-reference.ts'

const origin = 'https://pennypost.test'
const call = {
  caller: { kind: 'none' },
  query: {},
  headers: {},
  body: undefined,
  idempotencyKey: undefined,
  ip: '192.0.2.1',
  visit: { userAgent: undefined, referrer: undefined, cookie: undefined },
  hasLeft: () => false,
  origin,
} as const

let settings = defaultSiteSettings
const parts = {
  site: { settings: () => settings, version: () => 0, reload: async () => {}, close: () => {} },
  createLayout: () => ({ ...bareLayout, siteName: settings.name }),
}

const docsOf = async (shown: Contract): Promise<string> => {
  const { body } = await showReference(() => renderReference(shown))(parts, { ...call, params: {} })
  return body as string
}

const problemOf = async (shown: Contract, code: string): Promise<string> => {
  const { body } = await problemHandler(shown)(parts, { ...call, params: { code } })
  return body as string
}

const hostile = `"'><script>alert(1)</script>\`<img src=x onerror=alert(2)>`
const tooWeird = refusal('too-weird', 409, hostile, { [hostile]: z.string().meta({ description: hostile }) })

const hostileContract = {
  sendWeird: endpoint({
    method: 'POST',
    path: `/api/weird/{weirdId}`,
    tag: hostile,
    summary: hostile,
    description: hostile,
    credential: ['none', 'owner-session', 'publishing-key'],
    request: {
      params: z.object({ weirdId: z.string() }),
      query: z.object({ [hostile]: z.enum([hostile]), wide: z.string().regex(/<script>|"/) }),
      headers: z.object({ 'x-weird': z.literal(hostile) }),
      body: z.strictObject({
        named: z.object({ inner: z.string().default(hostile) }).meta({ id: `Named${hostile}`, description: hostile }),
        either: z.union([z.object({ kind: z.literal(hostile) }), z.object({ [hostile]: z.number() })]),
      }),
    },
    replies: { 200: raw(hostile, hostile), 201: z.array(z.object({ [hostile]: z.boolean() })), 204: nothing(hostile) },
    replyHeaders: { [hostile]: hostile },
    refusals: [tooWeird],
    errors: 'h3',
    idempotency: { ...keyIdempotency, description: hostile },
    limits: [limit(hostile, { per: 'account-or-ip', max: 1, seconds: 7 })],
  }),
  sendWeirdFile: endpoint({
    method: 'PUT',
    path: '/api/weird-file',
    tag: hostile,
    summary: hostile,
    credential: 'owner-session',
    request: { body: multipart({ file: { field: hostile, maxBytes: 5_000_000 }, fields: z.object({}) }) },
    replies: { 204: nothing(hostile) },
    errors: 'problem',
  }),
} satisfies Contract

const letter: CapturedMail = {
  to: 'reader@example.org',
  subject: 'Your code',
  text: 'Your code is 123456.\nhttps://pennypost.test/join?a=1&b=2.',
  html: '<p>Your code is <b>123456</b>.</p>',
  sentAt: '2026-01-31T12:00:05.000Z',
  code: '123456',
}

test('the API reference lists every operation with its path and refusals', async () => {
  const shown = await docsOf(contract)
  for (const [name, declared] of Object.entries<Contract[string]>(contract)) {
    const article = shown.split(`<article class="operation" id="${name}"`)[1]?.split('</article>')[0]
    ok(article, `${name} is missing`)
    ok(shown.includes(`<li><a href="#${name}">`), `${name} is not in the contents`)
    ok(article.includes(`<b>${declared.method}</b> ${declared.path}`), `${name} has no address`)
    ok(article.includes('<code>curl '), `${name} has no example`)
    for (const { code } of refusalsOf(declared)) {
      const spelled = declared.errors === 'h3' ? snakeCase(code) : code
      ok(article.includes(`<a href="/problems/${code}"><code>${spelled}</code>`), `${name} does not list ${code}`)
    }
  }
  for (const { code } of commonRefusals) ok(shown.includes(`/problems/${code}`), `${code} is missing`)
})

test('every link inside the API reference has a target, and ids are unique', async () => {
  const shown = await docsOf(contract)
  const ids = [...shown.matchAll(/ id="([^"]*)"/g)].map((found) => found[1])
  equal(new Set(ids).size, ids.length)
  for (const [, target] of shown.matchAll(/href="(?:\/docs)?#([^"]*)"/g))
    ok(ids.includes(target), `#${target} is nowhere`)
})

test('our origin is filled into the reference once, and again when the settings of the site change', async () => {
  let readings = 0
  const written = renderReference(contract)
  const handle = showReference(() => {
    readings += 1
    return written
  })
  const { body } = await handle(parts, { ...call, params: {} })
  equal((await handle(parts, { ...call, params: {} })).body, body)
  equal(readings, 1)
  const elsewhere = await handle(parts, { ...call, params: {}, origin: 'https://other.test' })
  match(elsewhere.body as string, /https:\/\/other\.test/)
  equal(elsewhere.body, (body as string).replaceAll(origin, 'https://other.test'))
  doesNotMatch(elsewhere.body as string, /origin\.invalid/)
  settings = { ...settings, name: 'The Gazette' }
  match((await handle(parts, { ...call, params: {} })).body as string, /API reference · The Gazette/)
})

test('every code has a page that lists its operations', async () => {
  const meets = Object.entries<Contract[string]>(contract).flatMap(([name, declared]) =>
    refusalsOf(declared).map(({ code }) => ({ name, code })),
  )
  for (const { name, code } of meets)
    ok((await problemOf(contract, code)).includes(`href="/docs#${name}"`), `${code}: ${name}`)
  for (const { code, title } of commonRefusals) {
    const shown = await problemOf(contract, code)
    ok(shown.includes(title))
    match(shown, /Any request can get this error/)
  }
})

test('a problem page shows the code in each error format that uses it', async () => {
  const h3Only = await problemOf(hostileContract, 'too-weird')
  match(h3Only, /too_weird&quot;/)
  doesNotMatch(h3Only, /As a problem/)
  const both = await problemOf(hostileContract, 'unauthorized')
  match(both, /As a problem/)
  match(both, /As an H3 error/)
})

test('an unknown code is refused', async () => {
  for (const code of ['no-such-code', 'constructor', 'too_weird', '<script>'])
    await rejects(
      problemOf(contract, code),
      (thrown) => thrown instanceof Refused && thrown.refusal === problemNotFound,
    )
})

test('texts of a contract are escaped', async () => {
  const pages = [await docsOf(hostileContract), await problemOf(hostileContract, 'too-weird')]
  for (const shown of pages) {
    doesNotMatch(shown, /<script|<img/)
    match(shown, /&lt;script&gt;alert\(1\)/)
  }
})

test('captured email shows its code, links its URLs and shows its HTML as text', () => {
  const { html } = capturedMailPage([letter], 'reader@example.org', bareLayout)
  match(html, /class="secret">123456</)
  match(html, /<a href="https:\/\/pennypost\.test\/join\?a=1&amp;b=2">/)
  match(html, /&lt;b&gt;123456&lt;\/b&gt;/)
  match(html, /value="reader@example\.org"/)
})

test('captured email is escaped', () => {
  const weird = {
    to: hostile,
    subject: hostile,
    text: `javascript:x http://a"${hostile}`,
    html: hostile,
    sentAt: hostile,
    code: hostile,
  }
  const { html } = capturedMailPage([weird], hostile, bareLayout)
  doesNotMatch(html, /<script|<img|href="javascript/)
})

test('the page says that there is no email, and for which recipient', () => {
  match(capturedMailPage([], undefined, bareLayout).html, /No mail yet/)
  match(capturedMailPage([], 'nobody@example.org', bareLayout).html, /No mail to <b>nobody@example\.org<\/b>/)
})
