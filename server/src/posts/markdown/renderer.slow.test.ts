import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createRenderer } from './renderer.ts'

const size = 200_000
const repeated = (unit: string) => unit.repeat(size / unit.length)
const nested = (open: string, close: string) => {
  const depth = Math.floor(size / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}
const numbered = (line: (index: number) => string) => Array.from({ length: 12_000 }, (_, index) => line(index)).join('')

const hostile: Record<string, string> = {
  quotes: repeated('> '),
  'quotes without space': repeated('>'),
  lists: repeated('- '),
  'list items': '* a\n'.repeat(20_000),
  'lists in lists': '* * * a\n'.repeat(6_666),
  brackets: repeated('['),
  'image brackets': repeated('!['),
  'nested links': nested('[', '](/)'),
  'nested images': nested('![', '](image:k)'),
  emphasis: repeated('*a_ '),
  'nested emphasis': nested('*a ', ' b*'),
  'backtick runs': Array.from({ length: 630 }, (_, index) => `a${'`'.repeat(index)}`).join(''),
  'wide table': `${'|a'.repeat(1000)}|\n${'|:-:'.repeat(1000)}|\n${'x\n'.repeat(97_000)}`,
  'long table': `a|b\n-|-\n${'x|y\n'.repeat(49_000)}`,
  footnotes: numbered((index) => `[^${index}]\n[^${index}]:\n`),
  'chained footnotes': `[^0]\n\n${numbered((index) => `[^${index}]: [^${index + 1}]\n`)}`,
  'definition, many uses': `[a]: /\n\n${'[a]['.repeat(49_000)}`,
  headings: repeated('# a\n'),
  addresses: repeated('a@b.co '),
  'half addresses': repeated('www.'),
  'C# that is not': `\`\`\`cs\n${'type type '.repeat(20).concat('\n').repeat(45)}\`\`\`\n`.repeat(20),
}

// The worst of these takes about a second. A minute leaves room for a busy machine, and none for quadratic time.
test('no 200,000 characters take more than their share', async (t) => {
  const renderer = createRenderer(60_000)
  t.after(() => renderer.close())
  await renderer.render('warm')
  for (const [name, markdown] of Object.entries(hostile)) {
    const { html } = await renderer.render(markdown.slice(0, size)).catch((error: unknown) => {
      throw new Error(name, { cause: error })
    })
    ok(html.length < 5_000_000, name)
  }
})
