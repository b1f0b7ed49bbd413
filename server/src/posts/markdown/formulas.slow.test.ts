import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render.ts'

const html = (markdown: string) => renderMarkdown(markdown, { math: true }).html

test('a text full of formulas has bounded HTML, and keeps the rest as it was typed', () => {
  const matrix = `$\\begin{matrix}${'a&'.repeat(900)}\\end{matrix}$\n\n`
  const shown = html(matrix.repeat(100))
  ok(shown.length < 1_000_000, String(shown.length))
  ok(shown.includes('<code>$\\begin{matrix}'))
  for (const text of ['$a '.repeat(60_000), '$$a\n'.repeat(40_000), '$x$ '.repeat(40_000), '$\\bad$ '.repeat(25_000)])
    ok(html(text).length < 2_500_000)
})
