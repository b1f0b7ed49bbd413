import { createRequire } from 'node:module'
import type { MarkdownIt } from 'markdown-it'
import type { PostEnv } from './post-env.ts'

interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void
  registerAliases(aliases: string[], options: { languageName: string }): void
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

// Required rather than imported, because the package's types would add the DOM's globals to the whole server.
const require = createRequire(import.meta.url)

const languages = (
  'bash c cpp csharp css dart diff dockerfile elixir go graphql haskell ini java javascript json kotlin lua makefile ' +
  'markdown nix php plaintext powershell python r ruby rust scala scss sql swift typescript xml yaml'
).split(' ')

// Loaded with the first block that names a language: the grammars take 3 MB, and most posts have no code.
let loaded: Highlighter | undefined
const highlighter = (): Highlighter => {
  loaded ??= loadHighlighter()
  return loaded
}

function loadHighlighter(): Highlighter {
  const library: Highlighter = require('highlight.js/lib/core')
  for (const name of languages) library.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
  library.registerAliases(['shell', 'console'], { languageName: 'bash' })
  return library
}

// Some grammars take quadratic time (C# a second for 20 KB of `type type type`), most of them for one long word or
// line. So a post has a budget for the sum of squared lengths: one block of 10 KB, or 25 of 2 KB.
const maxSquares = 10_000 ** 2
const maxInPost = 60_000
const costly = /[^\n]{241}|\s{200}/

const knownLanguage = (name: string) =>
  /^[a-z0-9+#-]{1,20}$/.test(name) && highlighter().getLanguage(name) !== undefined

export function highlightedCode(md: MarkdownIt): void {
  md.renderer.rules.fence = (tokens, index, _options, env) => {
    const { content, info } = tokens[index]!
    const language = md.utils.unescapeAll(info).trim().split(/\s/, 1)[0]!.toLowerCase()
    if (!knownLanguage(language)) return `<pre><code>${md.utils.escapeHtml(content)}</code></pre>\n`
    const code = highlighted(content, language, env as PostEnv) ?? md.utils.escapeHtml(content)
    return `<pre><code class="language-${language}">${code}</code></pre>\n`
  }
}

function highlighted(code: string, language: string, env: PostEnv): string | undefined {
  const squares = env.highlightedSquares + code.length ** 2
  const characters = env.highlightedCharacters + code.length
  if (squares > maxSquares || characters > maxInPost || costly.test(code)) return undefined
  env.highlightedSquares = squares
  env.highlightedCharacters = characters
  return highlighter().highlight(code, { language, ignoreIllegals: true }).value
}
