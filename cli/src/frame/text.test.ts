import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Output } from './output.ts'
import { printableJson } from './printable.ts'
import { terminalBar } from './progress.ts'
import { bold, cut, type Line, table } from './text.ts'

function printed(lines: readonly Line[], { isTTY = false, env = {} as Record<string, string>, isJson = false } = {}) {
  const text: string[] = []
  const stdout = { isTTY, write: (piece: string) => text.push(piece) }
  new Output({ stdout, stderr: stdout, env, isJson }).result({ lines }, lines)
  return text.join('')
}

const hostile = 'A\u001b]0;owned\u0007\u001b[2J\r\u009b31m\u202ename\u0000'

test('nothing of a text reaches the terminal but letters, line breaks and tabs', () => {
  equal(printed([hostile, bold(hostile)]), 'A]0;owned[2J31mname\nA]0;owned[2J31mname\n')
  equal(printed([bold(hostile)], { isTTY: true }), '\u001b[1mA]0;owned[2J31mname\u001b[22m\n')
  equal(printed(table([[`${hostile}\nnext`, 'x']])), 'A]0;owned[2J 31mname next  x\n')
  deepEqual(
    [...printableJson(hostile)].filter((letter) => letter < ' ' || (letter > '~' && letter < '\u00a0')),
    [],
  )
  equal(JSON.parse(printableJson(hostile)), hostile)
})

test('colour is for terminals, and never with NO_COLOR', () => {
  equal(printed([bold('x')]), 'x\n')
  equal(printed([bold('x')], { isTTY: true, env: { NO_COLOR: '1' } }), 'x\n')
  equal(printed([bold('x')], { isTTY: true, env: { TERM: 'dumb' } }), 'x\n')
  equal(printed([bold('x')], { isTTY: true }), '\u001b[1mx\u001b[22m\n')
})

test('columns are aligned by what the terminal shows', () => {
  deepEqual(
    printed(
      table([
        ['漢字', '1'],
        ['🎉', '2'],
        ['abcd', '3'],
      ]),
    ).split('\n'),
    ['漢字  1', '🎉    2', 'abcd  3', ''],
  )
  equal(cut('漢字漢字', 5), '漢字…')
})

test('a progress bar without a total shows no share, and is not drawn for each piece', () => {
  const drawn: string[] = []
  const bar = terminalBar({ columns: 0, write: (text: string) => drawn.push(text) }, 'Exporting')
  for (let piece = 1; piece <= 100; piece += 1) bar.update(piece, 0, `${piece} MiB`)
  deepEqual(drawn, ['\r\u001b[2KExporting 1 MiB'])
})
