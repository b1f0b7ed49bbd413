import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createPost } from '@pennypost/contract/posts'
import { writer } from './writer.fixture.ts'

test('hostile texts come back to the letter', async (t) => {
  const { creator, cli, path, remote } = await writer(t)
  const texts = [
    { title: `It's "quoted": yes\\no # {a: [b]} \u2028 & 🎉`, free: '---\ntitle: no\n---\n', paid: 'x' },
    { title: '- a list', free: '\n\nbegins with empty lines', paid: '\nso does this\n\n' },
    { title: 'CRLF', free: 'one\r\ntwo\r\n', paid: 'three\r\n' },
    { title: 'Marks', free: '```\n<!--paid-->\n```\ntext', paid: '<!--paid-->\n\nmore' },
    { title: 'A mark in the free text', free: 'a\n\n<!--paid-->\n\nb', paid: 'c' },
    { title: 'An open fence', free: '```\ncode', paid: 'd' },
    { title: 'true', free: '![x](image:nothing) `![y](z.png)`', paid: '' },
  ]
  for (const [index, { title, free, paid }] of texts.entries()) {
    const body = {
      title,
      freeContentMarkdown: free,
      paidContentMarkdown: paid,
      enablePaywall: paid !== '',
      tags: ['a, b', '#c'],
    }
    const { id, updatedAt } = (await creator.publisher.calls(createPost, { body })).body
    const name = `hostile-${index}.md`
    const pulled = await cli(['post', 'pull', id, '--to', name])
    equal(pulled.exitCode, 0, pulled.stderr)
    const pushed = await cli(['post', 'push', name, '--json'])
    equal(pushed.exitCode, 0, pushed.stderr)
    deepEqual([pushed.json.outcome, pushed.json.changes], ['unchanged', []], title)
    // With another title everything else stays, to the letter.
    const file = await readFile(path(name), 'utf8')
    await writeFile(path(name), file.replace(/^title: [^\n]*$/m, 'title: "Another"'))
    const renamed = await cli(['post', 'push', name, '--json'])
    equal(renamed.exitCode, 0, renamed.stderr)
    deepEqual(renamed.json.changes, ['title'])
    const after = await remote(id)
    deepEqual([after.title, after.freeContentMarkdown, after.paidContentMarkdown], ['Another', free, paid])
    ok(after.updatedAt !== updatedAt)
  }
})
