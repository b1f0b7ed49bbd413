import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { build } from 'esbuild'

const entry = new URL('../src/return-page.ts', import.meta.url).pathname
const { outputFiles } = await build({ entryPoints: [entry], format: 'esm', write: false })
const { returnPage } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)

const origin = 'https://pennypost.test'
const pageFor = (next) => returnPage(`?next=${encodeURIComponent(next)}`, origin)

test('signing in returns to the page that asked for it', () => {
  for (const page of [
    '/',
    '/studio',
    '/posts/1?x=1#comments',
    '/@ada',
    `${origin}/settings`,
    '//pennypost.test/studio',
  ])
    equal(pageFor(page), new URL(page, origin).href)
  equal(returnPage('', origin), `${origin}/`)
  equal(pageFor('/sign-in?next=/studio'), `${origin}/`)
})

test('no trick leads to another site', () => {
  const tricks = [
    '//evil.test/',
    '/\\evil.test',
    '\\\\evil.test',
    '///evil.test',
    '/.//evil.test/phish',
    '/x/..//evil.test',
    '/%2e//evil.test',
    '/\t/evil.test',
    '\t//evil.test',
    'https:evil.test',
    'https://pennypost.test@evil.test/',
    'https://pennypost.test.evil.test/',
    'http://pennypost.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://pennypost.test/x',
    'https://[',
    '//',
  ]
  for (const trick of tricks) {
    const page = pageFor(trick)
    equal(new URL(page, origin).origin, origin, trick)
    equal(page.startsWith(`${origin}/`), true, trick)
  }
})
