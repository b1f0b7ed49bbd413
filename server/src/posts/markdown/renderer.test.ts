import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { QueueFull } from '../../platform/fair-queue.ts'
import { hasTooManyListItems } from './list-items.ts'
import { renderMarkdown } from './render.ts'
import { createRenderer, MarkdownTooComplex, NobodyWaits, ownSender } from './renderer.ts'

test('a renderer renders in turn, for either part', async (t) => {
  const renderer = createRenderer()
  t.after(() => renderer.close())
  const all = await Promise.all(['# a', '# b', '# c'].map((markdown) => renderer.render(markdown, { part: 'paid' })))
  equal(all.map(({ text }) => text).join(''), 'abc')
  equal(all[0]!.html, renderMarkdown('# a', { part: 'paid' }).html)
})

test('a text that takes too long is refused, and those behind it are rendered', async (t) => {
  const renderer = createRenderer(200)
  t.after(() => renderer.close())
  const endless = renderer.render('# a\n'.repeat(5_000_000))
  const behind = renderer.render('b')
  await rejects(endless, MarkdownTooComplex)
  equal((await behind).text, 'b')
})

test('a text that waited for a processor is not refused', { skip: process.platform !== 'linux' }, async (t) => {
  const renderer = createRenderer(500)
  t.after(() => renderer.close())
  await renderer.render('warm')
  const waiting = renderer.render('a')
  await setImmediate()
  // Its time passes by the clock before we can look at what came back.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  equal((await waiting).text, 'a')
})

test('rendering has a lower priority than requests', { skip: process.platform !== 'linux' }, async (t) => {
  const priorities = () => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))
  const lower = Math.min(19, getPriority() + 19)
  const before = priorities().filter((priority) => priority === lower).length
  const renderer = createRenderer()
  t.after(() => renderer.close())
  await renderer.render('a')
  ok(priorities().filter((priority) => priority === lower).length > before)
})

test('closing waits for what was asked before and refuses what comes after', async () => {
  const renderer = createRenderer()
  const asked = renderer.render('a')
  await renderer.close()
  equal((await asked).text, 'a')
  await rejects(renderer.render('b'))
  await createRenderer().close()
})

test('an account with many slow texts delays another account by one of them at most', async (t) => {
  const renderer = createRenderer(60_000)
  t.after(() => renderer.close())
  const finished: string[] = []
  const render = (account: string, markdown: string) =>
    renderer.render(markdown, {}, ownSender(account)).then(() => finished.push(account))
  const all = Array.from({ length: 5 }, () => render('loud', '# a\n'.repeat(2_000)))
  all.push(render('quiet', 'b'))
  await Promise.all(all)
  equal(finished.indexOf('quiet'), 1)
})

test('many accounts of one network delay another network by one slow text at most', async (t) => {
  const renderer = createRenderer(200)
  t.after(() => renderer.close())
  await renderer.render('warm')
  const finished: string[] = []
  const render = (accountId: string, network: string, markdown: string) =>
    renderer
      .render(markdown, {}, { accountId, network })
      .catch(() => undefined)
      .then(() => finished.push(accountId))
  // The author has just saved; the strangers are new.
  await render('author', '192.0.2.9', 'a')
  const all = ['a', 'b', 'c', 'd'].map((name) => render(name, '192.0.2.1', '# a\n'.repeat(400_000)))
  all.push(render('author', '192.0.2.9', 'b'))
  await Promise.all(all)
  deepEqual(finished, ['author', 'a', 'author', 'b', 'c', 'd'])
})

test('what one account lets wait is bounded', async (t) => {
  const renderer = createRenderer()
  t.after(() => renderer.close())
  const text = 'a'.repeat(200_000)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, () => renderer.render(text, {}, ownSender('loud'))),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  // One is rendered while ten wait.
  equal(refused.length, 49)
  ok(refused.every(({ reason }) => reason instanceof QueueFull && reason.ofOwner))
})

test('a text that nobody waits for is not rendered when it is its turn', async (t) => {
  const renderer = createRenderer()
  t.after(() => renderer.close())
  let isWanted = true
  const first = renderer.render('# One', {}, ownSender('someone'))
  const second = renderer.render('# Two', {}, ownSender('someone'), () => isWanted)
  const third = renderer.render('# Three', {}, ownSender('someone'), () => !isWanted)
  isWanted = false
  await rejects(second, NobodyWaits)
  match((await first).html, /One/)
  match((await third).html, /Three/)
})

test('lists in lists are counted before they are rendered', () => {
  for (const line of ['- - - a\n', '1. 1. 1. a\n', '> - > - > - a\n', '* \t* * a\r\n', '+ + +\n'])
    equal(hasTooManyListItems(line.repeat(7_000)), true, line)
  for (const text of [
    '- a\n'.repeat(20_000),
    '-'.repeat(200_000),
    '> '.repeat(100_000),
    '- '.repeat(100_000),
    'a - b\n'.repeat(30_000),
  ])
    equal(hasTooManyListItems(text), false, text.slice(0, 10))
})
