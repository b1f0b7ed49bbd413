import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import sanitizeHtml from 'sanitize-html'
import { renderMarkdown } from './render.ts'
import { sanitize } from './sanitize.ts'
import { xssCorpus } from './xss-corpus.fixture.ts'

const html = (markdown: string) => renderMarkdown(markdown, { math: true }).html.trim()
const formulaCount = (markdown: string) => html(markdown).split('<math').length - 1

test('formulas become MathML, in a line or on their own', () => {
  equal(html('So $x^2$.'), '<p>So <math><msup><mi>x</mi><mn>2</mn></msup></math>.</p>')
  const fraction = '<p><math display="block"><mfrac><mi>a</mi><mi>b</mi></mfrac></math></p>'
  for (const markdown of ['$$\\frac{a}{b}$$', '$$\n\\frac{a}{b}\n$$', '$$ \\frac\n{a}{b}\n  $$  '])
    equal(html(markdown), fraction)
  match(html('Inline $$\\frac{a}{b}$$ too'), /^<p>Inline <math display="block">.*<\/math> too<\/p>$/)
  match(html('> $$\n> x\n> $$'), /^<blockquote>\s*<p><math/)
  match(html('- a\n\n  $$\n  x\n  $$\n- b'), /<math display="block"><mi>x<\/mi><\/math>/)
  match(html('| $x$ | b |\n|---|---|\n| 1 | 2 |'), /<th><math>/)
  match(html('$$\n\\begin{aligned} a &= b \\\\ &= c \\end{aligned}\n$$'), /<mtd class="tml-right"><mi>a<\/mi><\/mtd>/)
  equal(renderMarkdown('The sum $a+b$\n\n$$c$$', { math: true }).text, 'The sum a+b c')
})

test('without the option a dollar is a dollar; with it prices still are, and so is an escaped one', () => {
  equal(renderMarkdown('$x^2$ and $$y$$').html.trim(), '<p>$x^2$ and $$y$$</p>')
  for (const text of [
    'It costs $5 and then $10.',
    'Pay $5-$10 now',
    'From $5',
    '$ x $',
    '$x',
    'a $$ b',
    '$$',
    '5$ and 6$ more',
  ])
    equal(html(text), `<p>${text}</p>`)
  equal(html('\\$x\\$'), '<p>$x$</p>')
  equal(html('For $5: $x$'), '<p>For $5: <math><mi>x</mi></math></p>')
  equal(html('`$x$`'), '<p><code>$x$</code></p>')
  equal(formulaCount('$\\$ x$'), 1)
  equal(html('$$a\n\nb'), '<p>$$a</p>\n<p>b</p>')
})

test('a formula that is wrong, too long or cannot be shown stays as it was typed', () => {
  equal(html('$\\frac{$'), '<p><code>$\\frac{$</code></p>')
  equal(html('$$\n\\nosuchcommand\n$$'), '<pre><code>$$\n\\nosuchcommand\n$$</code></pre>')
  equal(html('$\\cancel{x}$'), '<p><code>$\\cancel{x}$</code></p>')
  equal(formulaCount(`$${'x'.repeat(1999)}$`), 1)
  equal(formulaCount(`$${'x'.repeat(2001)}$`), 0)
})

type Node = DefaultTreeAdapterTypes.ChildNode
function* nodesOf(nodes: readonly Node[]): Generator<DefaultTreeAdapterTypes.Element> {
  for (const node of nodes) {
    if (!('tagName' in node)) continue
    yield node
    yield* nodesOf(node.childNodes)
  }
}

const hostile = [
  '\\href{javascript:alert(1)}{x}',
  '\\url{javascript:alert(1)}',
  '\\includegraphics{https://evil.test/x.png}',
  '\\class{evil}{x}',
  '\\id{content-x}{x}',
  '\\style{background:url(//evil.test)}{x}',
  '\\data{onclick=alert(1)}{x}',
  '\\text{<script>alert(1)</script>}',
  '\\text{</math><img src=x onerror=alert(1)>}',
  '\\mathrm{<img/src/onerror=alert(1)>}',
  '\\color{red;background:url(//evil.test)}{x}',
  '\\color{expression(alert(1))}x',
  '\\textcolor{"onload="alert(1)}{x}',
  '\\operatorname{<style>*{}</style>}',
  '\\unicode{x3c}script\\unicode{x3e}',
  '\\char"3C script \\char`\\<',
  '\\tag{<b onclick=x>}x',
  '\\label{x}\\ref{x}\\eqref{<a>}',
  '\\rule{9999em}{9999em}',
  '\\kern-9999em x',
  '\\raisebox{9999em}{x}',
  '\\Huge\\Huge x',
  '\\def\\a{\\a\\a}\\a',
  '\\def\\a#1{#1#1}\\a{\\a{\\a{\\a{\\a{\\a{\\a{\\a{\\a{xxxxxxxx}}}}}}}}}',
  '\\gdef\\frac#1#2{EVIL}\\frac12',
  '\\begin{matrix}'.repeat(80),
  `${'{'.repeat(990)}${'}'.repeat(990)}`,
  `${'\\sqrt{'.repeat(250)}x${'}'.repeat(250)}`,
  `${'x^{'.repeat(480)}x${'}'.repeat(480)}`,
  '\\ce{<img src=x>}',
  '\\verb|<script>alert(1)</script>|',
  '\u202e\\text{evil}',
]

const ours = new Set(
  'math mi mn mo mtext mspace mrow mstyle mpadded mphantom mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mmultiscripts mprescripts p code pre'.split(
    ' ',
  ),
)
const attributes =
  /^(?:display|mathvariant|form|fence|separator|stretchy|symmetric|movablelimits|[lr]space|m(?:in|ax)size|displaystyle|scriptlevel|width|height|depth|voffset|linethickness|accent|accentunder|columnalign|columnspan)$/

test('nothing but harmless MathML comes out of a hostile formula', () => {
  for (const tex of hostile) {
    for (const markdown of [`a $${tex}$ b`, `$$\n${tex}\n$$`]) {
      const shown = html(markdown)
      for (const { tagName, attrs } of nodesOf(parseFragment(shown).childNodes)) {
        if (['p', 'em', 'strong', 'a', 'br', 'ul', 'ol', 'li'].includes(tagName)) continue
        ok(ours.has(tagName), `${tex}: ${tagName}`)
        for (const { name, value } of attrs) {
          ok(
            attributes.test(name) || (name === 'class' && /^tml-(left|right)$/.test(value)),
            `${tex}: ${name}=${value}`,
          )
          const size = /^-?\d+(?:\.\d+)?(?=em|pt|px|ex)/.exec(value)?.[0]
          ok(size === undefined || Math.abs(Number(size)) <= 1000, `${tex}: ${name}=${value}`)
        }
      }
      // A second opinion: browsers' parsers see the same elements.
      const again = sanitizeHtml(shown, { allowedTags: false, allowedAttributes: false, allowVulnerableTags: true })
      const namesIn = (text: string) => [...nodesOf(parseFragment(text).childNodes)].map(({ tagName }) => tagName)
      deepEqual(namesIn(again), namesIn(shown), tex)
    }
  }
  // Macros end with their formula.
  ok(!html('$\\gdef\\frac#1#2{EVIL}x$ $\\frac12$').includes('E</mi>'))
})

test('with formulas allowed, the sanitizer lets MathML through but nothing else inside it, and none outside', () => {
  const clean = (text: string) => sanitize(text, true)
  equal(clean('<math display="block"><mi>x</mi></math>'), '<math display="block"><mi>x</mi></math>')
  equal(sanitize('<math><mi>x</mi></math>'), 'x')
  equal(clean('<mi>x</mi>'), 'x')
  equal(clean('<math><mi><p>x</p></mi></math><p>y</p>'), '<math><mi>x</mi></math><p>y</p>')
  equal(clean('<math><mtext><math><mi>x</mi></math></mtext></math>'), '<math><mtext>x</mtext></math>')
  equal(clean('<math href="javascript:x"><mi onclick="x" style="y" class="z">x</mi></math>'), '<math><mi>x</mi></math>')
  equal(clean('<math><maction actiontype="statusline">x</maction></math>'), '<math>x</math>')
  equal(clean('<math><mspace width="99999em"></mspace></math>'), '<math><mspace></mspace></math>')
  equal(clean('<math><mi>x'), '<math><mi>x</mi></math>')
  for (const payload of [...xssCorpus, ...xssCorpus.map((found) => `<math><mtext>${found}`)])
    for (const { tagName, namespaceURI, attrs } of nodesOf(parseFragment(clean(payload)).childNodes)) {
      equal(tagName.startsWith('m') && tagName !== 'main', namespaceURI.endsWith('MathML'), payload)
      for (const { name, value } of attrs)
        ok(!name.startsWith('on') && name !== 'style' && !/^javascript:/i.test(value), `${payload}: ${name}=${value}`)
    }
})
