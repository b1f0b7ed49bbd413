import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render.ts'
import { createRenderer, MarkdownTooComplex } from './renderer.ts'

test('a renderer renders in turn, for either part', async (t) => {
  const renderer = createRenderer()
  t.after(() => renderer.close())
  const all = await Promise.all(['# a', '# b', '# c'].map((markdown) => renderer.render(markdown, 'paid')))
  equal(all.map(({ text }) => text).join(''), 'abc')
  equal(all[0]!.html, renderMarkdown('# a', 'paid').html)
})

test('a text that takes too long is refused, and those behind it are rendered', async (t) => {
  const renderer = createRenderer(1000)
  t.after(() => renderer.close())
  const endless = renderer.render('# a\n'.repeat(5_000_000))
  const behind = renderer.render('b')
  await rejects(endless, MarkdownTooComplex)
  equal((await behind).text, 'b')
})

test('closing waits for what was asked before and refuses what comes after', async () => {
  const renderer = createRenderer()
  const asked = renderer.render('a')
  await renderer.close()
  equal((await asked).text, 'a')
  await rejects(renderer.render('b'))
  await createRenderer().close()
})
