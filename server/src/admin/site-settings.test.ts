import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { contrastWithWhite, getSiteSettings, updateSiteSettings } from '@pennypost/contract/site-settings'
import { administrator } from '../discussion/discussion.fixture.ts'
import type { Reader } from '../test/people.ts'
import { until } from '../test/until.ts'
import { createWorld, sharedWorld } from '../test/world.ts'

const change = (admin: Reader, body: object) => admin.owner.sends(updateSiteSettings, { body })
const read = async (admin: Reader) => (await admin.owner.calls(getSiteSettings, {})).body

test('a new site has the default settings, which only administrators may read and change', async (t) => {
  const world = await createWorld(t)
  const [admin, reader] = [await administrator(world), await world.reader()]
  deepEqual(await read(admin), {
    name: 'Pennypost',
    tagline: 'Good writing, free or for a few cents',
    description: '',
    logoUrl: null,
    iconUrl: null,
    accentColor: null,
    navigation: [],
    aboutMarkdown: null,
    termsMarkdown: null,
    privacyMarkdown: null,
    registration: 'open',
  })
  equal((await reader.owner.calls(getSiteSettings, {})).body.code, 'admin-required')
  equal((await change(reader, { name: 'Mine' })).body.code, 'admin-required')
  equal((await world.stranger().calls(getSiteSettings, {})).status, 401)
})

test('a change keeps what it does not name, is saved and is in the audit log', async (t) => {
  const world = await createWorld(t)
  const admin = await administrator(world)
  const navigation = [
    { label: 'Blog', url: 'https://blog.example/a?b=c#d' },
    { label: 'About', url: '/about' },
  ]
  const first = await change(admin, {
    name: ' The Gazette ',
    navigation,
    aboutMarkdown: '# About\n\tus',
    accentColor: '#A8501A',
  })
  equal(first.status, 200, JSON.stringify(first.body))
  const second = await change(admin, { tagline: 'All the news', logoUrl: '/media/logo.png' })
  deepEqual(second.body, await read(admin))
  deepEqual(
    [second.body.name, second.body.tagline, second.body.accentColor, second.body.navigation],
    ['The Gazette', 'All the news', '#a8501a', navigation],
  )
  equal((await change(admin, { logoUrl: null })).body.logoUrl, null)
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  deepEqual(
    entries.map(({ act, details }: { act: string; details: object }) => [act, Object.keys(details).sort()]),
    [
      ['site.update', ['logoUrl']],
      ['site.update', ['logoUrl', 'tagline']],
      ['site.update', ['aboutMarkdown', 'accentColor', 'name', 'navigation']],
    ],
  )
  // Saving the same again changes nothing and is not recorded.
  await change(admin, { tagline: 'All the news' })
  equal((await admin.owner.calls(listAuditEntries, {})).body.entries.length, 3)
})

test('settings that could harm readers are refused, and name the field', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  const before = await read(admin)
  const cases: [object, string][] = [
    [{}, ''],
    [{ isOpen: true }, 'isOpen'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(51) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'a\nBcc: eve@example.com' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: '\u200b' }, 'name'],
    [{ name: null }, 'name'],
    [{ tagline: 'x'.repeat(121) }, 'tagline'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ accentColor: 'red' }, 'accentColor'],
    [{ accentColor: '#fff' }, 'accentColor'],
    [{ accentColor: '#ffff00' }, 'accentColor'],
    [{ accentColor: '#123456;}' }, 'accentColor'],
    [{ registration: 'sometimes' }, 'registration'],
    [{ aboutMarkdown: 'a\u0000b' }, 'aboutMarkdown'],
    [{ termsMarkdown: 'x'.repeat(50_001) }, 'termsMarkdown'],
    [{ navigation: Array.from({ length: 9 }, () => ({ label: 'A', url: '/' })) }, 'navigation'],
    [{ navigation: [{ label: '', url: '/' }] }, 'navigation.0.label'],
    [{ navigation: [{ label: 'A', url: '/', target: '_blank' }] }, 'navigation.0.target'],
  ]
  const hostileUrls = [
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'http://example.com/a.png',
    '//example.com/a.png',
    '/\\example.com',
    '/a\nb',
    'https://user@example.com/',
    'https://example.com;script-src/a.png',
    "https://exam'ple.com/a.png",
    'about',
    '',
    `/${'x'.repeat(2000)}`,
  ]
  for (const url of hostileUrls) {
    cases.push([{ logoUrl: url }, 'logoUrl'], [{ iconUrl: url }, 'iconUrl'])
    cases.push([{ navigation: [{ label: 'A', url }] }, 'navigation.0.url'])
  }
  for (const [body, field] of cases) {
    const reply = await change(admin, body)
    equal(reply.status, 422, JSON.stringify(body).slice(0, 100))
    equal(reply.body.errors[0].field, field, JSON.stringify(reply.body.errors))
  }
  deepEqual(await read(admin), before)
})

test('Markdown that takes too long to render is refused', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  // More list items than are rendered at all: how long a text takes depends on the machine.
  const reply = await change(admin, { privacyMarkdown: `${'- '.repeat(90)}a\n`.repeat(250) })
  deepEqual([reply.status, reply.body.code], [422, 'markdown-too-complex'])
})

test('parallel changes of different fields are all kept', async (t) => {
  const world = await createWorld(t)
  const admin = await administrator(world)
  const changes = [
    { name: 'A' },
    { tagline: 'B' },
    { description: 'C' },
    { aboutMarkdown: 'D' },
    { termsMarkdown: 'E' },
  ]
  await Promise.all(changes.map((body) => change(admin, body)))
  const settings = await read(admin)
  for (const body of changes) deepEqual({ ...settings, ...body }, settings)
})

test('other processes use a change too', async (t) => {
  const first = await createWorld(t)
  const second = await createWorld(t, { databaseUrl: first.databaseUrl })
  await change(await administrator(first), { name: 'The Gazette' })
  equal(first.services.site.settings().name, 'The Gazette')
  await until('the other process knows', () => second.services.site.settings().name === 'The Gazette')
})

test('contrast is computed as WCAG says', () => {
  equal(contrastWithWhite('#000000'), 21)
  equal(contrastWithWhite('#ffffff'), 1)
  ok(Math.abs(contrastWithWhite('#767676') - 4.54) < 0.01)
})
