import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { readPostFile, splitPaid, writePostFile } from './post-file.ts'

test('a post is written as a file and read again, to the letter', () => {
  const facts = {
    title: `It's "quoted": yes\\no # {a: [b]} \u2028 \u0085 & 🎉`,
    tags: ['a, b', '#c', '- d'],
    price: '0.1 XNO',
  }
  for (const [free, paid] of [
    ['Text', 'Secret'],
    ['---\ntitle: no\n---\n', 'x'],
    ['\n\nbegins with empty lines', '\nso does this\n\n'],
    ['one\r\ntwo\r\n', 'three\r\n'],
    ['```\n<!--paid-->\n```\ntext', '<!--paid-->\n\nmore'],
    ['`<!--paid-->`', 'x'],
    ['', ''],
  ] as const) {
    const read = readPostFile(writePostFile({ facts, free, paid })!)
    deepEqual([read.facts, read.free, read.paid ?? ''], [facts, free, paid])
  }
})

test('a text that hides the mark, or contains it, is not written as one file', () => {
  for (const free of ['a\n\n<!--paid-->\n\nb', 'a <!-- paid --> b', '```\nan open fence'])
    equal(writePostFile({ facts: {}, free, paid: 'secret' }), undefined)
  equal(writePostFile({ facts: {}, free: 'a <!--paid--> b', paid: '' }), undefined)
})

test('a file of Windows has the same text', () => {
  const { facts, free, paid } = readPostFile('---\r\ntitle: A\r\n---\r\n\r\none\r\ntwo\r\n\r\n<!--paid-->\r\n\r\nthree')
  deepEqual([facts, free, paid], [{ title: 'A' }, 'one\ntwo', 'three'])
})

test('everything after the first mark is paid, wherever it is in its line', () => {
  deepEqual(splitPaid('free <!--paid--> one\n\n<!--paid-->\n\ntwo').free.trim(), 'free')
  equal(splitPaid('no mark').paid, undefined)
})
