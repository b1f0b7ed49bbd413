// The document of the editor, without a browser: what is opened and saved is the same, the paid line, and what the toolbar does.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { build } from 'esbuild'
import { documents } from './markdown-documents.mjs'

const folder = new URL('../src/studio/text', import.meta.url).pathname
const { outputFiles } = await build({
  stdin: {
    contents: `
      export * from './post-text.ts'
      export * from './commands.ts'
      export * from './count-words.ts'
      export { findImages } from './images.ts'
      export * from './caption.ts'
      export { history, undo, redo, deleteCharBackward, deleteCharForward } from '@codemirror/commands'
      export { EditorSelection } from '@codemirror/state'`,
    resolveDir: folder,
    loader: 'ts',
  },
  bundle: true,
  format: 'esm',
  write: false,
})
const editor = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`)
const { openPostText, partsOf, paidLine, placePaidLine, removePaidLine, nextPaidLinePosition, replaceParts } = editor

/** An editor without a page: what `run` does is dispatched to it. */
function open(free, paid, hasPaidLine = paid !== undefined) {
  const target = {
    state: openPostText({ free, paid: paid ?? '' }, hasPaidLine, editor.history()),
    dispatch(transaction) {
      target.state = transaction.state ?? target.state.update(transaction).state
    },
    run: (command) => command(target),
    apply: (spec) => spec && target.dispatch(target.state.update(spec)),
    select: (anchor, head = anchor) => target.apply({ selection: { anchor, head } }),
    get parts() {
      return partsOf(target.state)
    },
  }
  return target
}

const both = (parts) => [parts.free, parts.paid]

/** A generator with a seed (mulberry32), so that a failure can be repeated. */
function random(seed) {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pieces = [
  ...[
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    ' ',
    '  \n',
    '\t',
    'word ',
    'слово ',
    'שלום ',
    'مرحبا ',
    '語',
    '👩‍👧 ',
    '\u200b',
    '\u00a0',
    '\ufeff',
  ],
  ...[
    '# ',
    '## ',
    '> ',
    '- ',
    '1. ',
    '- [ ] ',
    '```js\n',
    '```\n',
    '~~~',
    '    ',
    '| a | b |\n|---|---|\n',
    '---\n',
    '***',
  ],
  ...[
    '**',
    '*',
    '_',
    '`',
    '~~',
    '[text](https://example.com)',
    '![alt](image:abc)',
    '[^1]',
    '[^1]: ',
    '$x$',
    '<b>',
    '&amp;',
    '\\',
  ],
]
const generated = (next) => Array.from({ length: next(60) }, () => pieces[next(pieces.length)]).join('')

test('2,000 generated pairs of texts, and 50 documents, are read back byte for byte', () => {
  equal(documents.length, 50)
  const next = random(18)
  const pairs = [
    ...Array.from({ length: 2000 }, () => [generated(next), generated(next)]),
    ...documents.flatMap((document, index) => [
      [document, documents.at(-1 - index)],
      [document, ''],
      ['', document],
    ]),
  ]
  for (const [free, paid] of pairs) {
    deepEqual(both(open(free, paid).parts), [free, paid])
    equal(open(free).parts.free, free)
  }
})

test('lines that were not touched keep their ends when others change', () => {
  const target = open('one\r\ntwo\nthree\r\nfour', 'five\rsix\r\n')
  target.apply({ changes: { from: 3, insert: '!' } })
  target.apply({ changes: { from: 8, insert: '\n' } })
  deepEqual(both(target.parts), ['one!\r\ntwo\r\n\nthree\r\nfour', 'five\rsix\r\n'])
  target.run(editor.undo)
  target.run(editor.undo)
  deepEqual(both(target.parts), ['one\r\ntwo\nthree\r\nfour', 'five\rsix\r\n'])
})

test('moving the paid line and undoing it gives the same bytes, for all generated texts', () => {
  const next = random(7)
  for (let round = 0; round < 500; round += 1) {
    const [free, paid] = [generated(next), generated(next)].map((text) => text.replaceAll('\r', ''))
    const target = open(free, paid)
    const before = target.state.doc.toString()
    for (let step = 0; step < 4; step += 1) {
      const position = nextPaidLinePosition(target.state, next(2) === 0 ? -1 : 1) ?? next(target.state.doc.length + 1)
      target.apply(placePaidLine(target.state, position))
      // No letter is lost on the way.
      const words = (text) => text.replaceAll(/\s/g, '')
      equal(words(target.parts.free + target.parts.paid), words(free + paid))
    }
    while (target.run(editor.undo));
    equal(target.state.doc.toString(), before)
    deepEqual(both(target.parts), [free, paid])
  }
})

test('the line moves by paragraphs, down and up again', () => {
  const target = open('# One\n\nTwo\n\n', 'Three\n\n- four\n\n  inside\n\n```\nfive\n\nsix\n```\n')
  const seen = []
  for (let position = 0; position !== undefined; ) {
    seen.push(target.parts.paid.split('\n')[0])
    position = nextPaidLinePosition(target.state, 1)
    if (position !== undefined) target.apply(placePaidLine(target.state, position))
  }
  deepEqual(seen, ['Three', '- four', '```', ''])
  for (let position = 0; position !== undefined; ) {
    position = nextPaidLinePosition(target.state, -1)
    if (position !== undefined) target.apply(placePaidLine(target.state, position))
  }
  deepEqual(both(target.parts), ['', '# One\n\nTwo\n\nThree\n\n- four\n\n  inside\n\n```\nfive\n\nsix\n```\n'])
})

test('paragraphs of both parts stay apart when the line leaves them', () => {
  const target = open('Free', 'Paid')
  target.apply(placePaidLine(target.state, 0))
  deepEqual(both(target.parts), ['', 'Free\n\nPaid'])
  target.apply(removePaidLine(target.state))
  deepEqual(both(target.parts), ['Free\n\nPaid', ''])
  equal(target.state.field(paidLine), null)
  target.run(editor.undo)
  target.run(editor.undo)
  deepEqual(both(target.parts), ['Free', 'Paid'])
  target.run(editor.redo)
  deepEqual(both(target.parts), ['', 'Free\n\nPaid'])
})

test('the line is not text: neither deleting nor replacing across it takes it away', () => {
  const target = open('Free', 'Paid')
  target.select(5)
  target.run(editor.deleteCharBackward)
  deepEqual(both(target.parts), ['Free', 'Paid'])
  equal(target.state.selection.main.head, 4)
  target.run(editor.deleteCharForward)
  deepEqual(both(target.parts), ['Free', 'Paid'])
  target.apply({ changes: { from: 2, to: 7, insert: 'X' }, selection: { anchor: 3 }, userEvent: 'input.type' })
  deepEqual(both(target.parts), ['FrX', 'id'])
  equal(target.state.selection.main.head, 3)
  target.run(editor.undo)
  deepEqual(both(target.parts), ['Free', 'Paid'])
  // From the very end of the free text.
  target.apply({ changes: { from: 4, to: 6, insert: 'Y' } })
  deepEqual(both(target.parts), ['FreeY', 'aid'])
  target.apply({ changes: { from: 0, to: target.state.doc.length, insert: 'All' } })
  deepEqual(both(target.parts), ['All', ''])
  target.apply({ changes: { from: 0, to: target.state.doc.length } })
  deepEqual(both(target.parts), ['', ''])
  ok(target.state.field(paidLine) !== null)
  target.run(editor.undo)
  target.run(editor.undo)
  target.run(editor.undo)
  deepEqual(both(target.parts), ['Free', 'Paid'])
})

test('what is typed at the line belongs to the side of the cursor', () => {
  const target = open('Free', 'Paid')
  target.apply({ changes: { from: 4, insert: '!' } })
  target.apply({ changes: { from: 6, insert: '?' } })
  deepEqual(both(target.parts), ['Free!', '?Paid'])
})

test('a post without a paid line gets one where the author says, and an empty paid part can go again', () => {
  const target = open('One\n\nTwo\n')
  target.apply(placePaidLine(target.state, 5))
  deepEqual(both(target.parts), ['One\n\n', 'Two\n'])
  target.run(editor.undo)
  equal(target.state.field(paidLine), null)
  target.apply(placePaidLine(target.state, target.state.doc.length))
  deepEqual(both(target.parts), ['One\n\nTwo\n', ''])
  target.apply(removePaidLine(target.state))
  equal(target.parts.free, 'One\n\nTwo\n')
})

test('another version replaces both texts, exactly, and can be undone', () => {
  const target = open('Free\r\n', 'Paid')
  target.apply(replaceParts(target.state, { free: 'a\nb\rc', paid: 'd\r\n' }, true))
  deepEqual(both(target.parts), ['a\nb\rc', 'd\r\n'])
  target.run(editor.undo)
  deepEqual(both(target.parts), ['Free\r\n', 'Paid'])
})

/** Runs a command on a text in which `[` and `]` mark the selection, or `|` the cursor. */
function run(command, marked) {
  const anchor = marked.search(/[«|]/)
  const head = marked.includes('»') ? marked.indexOf('»') - 1 : anchor
  const target = open(marked.replaceAll(/[«»|]/g, ''))
  target.select(anchor, head)
  target.run(command)
  const { from, to } = target.state.selection.main
  const text = target.state.doc.toString()
  return from === to
    ? `${text.slice(0, from)}|${text.slice(from)}`
    : `${text.slice(0, from)}«${text.slice(from, to)}»${text.slice(to)}`
}

test('bold and italics are put around the selection or the word, and taken away again', () => {
  const bold = editor.toggleMark('**')
  const italic = editor.toggleMark('*')
  equal(run(bold, 'a «word» here'), 'a **«word»** here')
  equal(run(bold, 'a **«word»** here'), 'a «word» here')
  equal(run(bold, 'a «**word**» here'), 'a «word» here')
  equal(run(bold, 'a w|ord here'), 'a **w|ord** here')
  equal(run(bold, 'a **w|ord** here'), 'a w|ord here')
  equal(run(bold, 'a « word »here'), 'a  **«word»** here')
  equal(run(bold, '|'), '**|**')
  equal(run(italic, '**«word»**'), '***«word»***')
  equal(run(italic, '***«word»***'), '**«word»**')
  equal(run(bold, '***«word»***'), '*«word»*')
})

test('headings, quotes and lists begin lines, replace each other and go again', () => {
  equal(run(editor.toggleHeading(2), 'Ti|tle'), '## Ti|tle')
  equal(run(editor.toggleHeading(3), '## Ti|tle'), '### Ti|tle')
  equal(run(editor.toggleHeading(2), '## Ti|tle'), 'Ti|tle')
  equal(run(editor.toggleHeading(2), '|'), '## |')
  equal(run(editor.toggleQuote, '«a\nb»'), '> «a\n> b»')
  equal(run(editor.toggleList, '«a\n\nb»'), '- «a\n\n- b»')
  equal(run(editor.toggleNumbers, '«- a\n- b»'), '«1. a\n2. b»')
  equal(run(editor.toggleList, '- a|'), 'a|')
})

test('links, code, tables and footnotes', () => {
  equal(run(editor.insertLink, 'see «this» now'), 'see [this](«https://») now')
  equal(run(editor.insertLink, '«https://example.com»'), '[|](https://example.com)')
  equal(run(editor.insertLink, '|'), '[|](https://)')
  equal(run(editor.insertCode, 'call «f()» now'), 'call `«f()»` now')
  equal(run(editor.insertCode, '|'), '```|\n\n```')
  equal(run(editor.insertCode, '«a\nb»'), '```|\na\nb\n```')
  equal(run(editor.insertTable, 'Text.\n|'), 'Text.\n\n| |Column | Column |\n| --- | --- |\n|  |  |')
  equal(run(editor.insertFootnote, 'Text|.'), 'Text[^1].\n\n[^1]: |')
  equal(run(editor.insertFootnote, 'A[^1] b|\n\n[^1]: note'), 'A[^1] b[^2]\n\n[^1]: note\n[^2]: |')
})

test('a footnote of the free part stays in it', () => {
  const target = open('Free', 'Paid')
  target.select(2)
  target.run(editor.insertFootnote)
  deepEqual(both(target.parts), ['Fr[^1]ee\n\n[^1]: ', 'Paid'])
})

test('words are counted as people read them', () => {
  equal(editor.countWords('# One two\n\n**three** [four](https://a.example/b) ![five](image:x)'), 5)
  equal(editor.countWords("don't e-mail"), 2)
  equal(editor.countWords('日本語'), 3)
  equal(editor.countWords(''), 0)
  equal(editor.readingMinutes(0), 1)
  equal(editor.readingMinutes(2300), 10)
})

test('images are found with their alternative text', () => {
  const { state } = open('a ![x](image:one)\n\n![](image:two)', '![y](image:three)')
  deepEqual(
    editor.findImages(state).map(({ key, alt }) => [key, alt]),
    [
      ['one', 'x'],
      ['two', ''],
      ['three', 'y'],
    ],
  )
})

test('a caption is written so that it reads the same again', () => {
  const { captionOf, titleOf } = editor
  for (const caption of [
    '',
    'A view',
    '"Quoted"',
    'back\\slash',
    'a \\" b',
    '&amp; &lt;b&gt; R&D &#65;',
    '<b>x</b>',
    "it's",
  ])
    equal(captionOf(titleOf(caption)), caption)
  equal(titleOf('R&D'), 'R&D')
  equal(captionOf('&quot;a&quot; \\&amp; b'), '"a" &amp; b')
  const { state } = open('![a\\]b](image:k1 "c \\"d\\"") ![](image:k2) ![x](image:k3 "open)')
  deepEqual(
    editor.findImages(state).map(({ key, alt, title }) => [key, alt, title]),
    [
      ['k1', 'a\\]b', 'c \\"d\\"'],
      ['k2', '', ''],
    ],
  )
})
