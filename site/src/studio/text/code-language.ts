import { markdownLanguage } from '@codemirror/lang-markdown'
import { Language, StreamLanguage, type StringStream } from '@codemirror/language'
import { type MarkdownParser, parseCode } from '@lezer/markdown'

// Code in posts is highlighted by one small tokenizer that knows comments, strings, numbers and the keywords of common languages.
// A parser for each language would be larger than the whole editor.

const keywords = new Set(
  `abstract and as async await begin bool boolean break case catch char class const constexpr continue create crate def default
  defer delete do done double elif else elsif end enum esac except export extends extern false fi final finally float fn for foreach
  from func function go group having if impl implements import in inner insert instanceof int interface into is join lambda left
  let limit long loop match mod module mut namespace new nil none not null of on or order package pass private protected pub
  public raise readonly return select self set short signed sizeof static string struct super switch table template then this throw
  trait true try type typedef typeof undefined union unless unsafe unsigned until update use using val values var void volatile when
  where while with yield`.split(/\s+/),
)

interface Position {
  /** The end mark of a comment or string that continues on the next line. */
  end: string | undefined
  kind: 'comment' | 'string'
}

const hashComments =
  /^(py|python|rb|ruby|sh|bash|zsh|shell|console|yaml|yml|toml|r|perl|pl|dockerfile|make|makefile|ini|conf)$/i
const dashComments = /^(sql|lua|haskell|hs|elm)$/i
const proseLanguages = /^(text|txt|plain|md|markdown|diff|csv|html|xml|svg)$/i

function tokenizer(name: string) {
  const lineComment = hashComments.test(name) ? '#' : dashComments.test(name) ? '--' : '//'
  return StreamLanguage.define<Position>({
    name: `code-${lineComment}`,
    startState: () => ({ end: undefined, kind: 'string' }),
    token(stream, position) {
      if (position.end !== undefined) return rest(stream, position)
      if (stream.eatSpace()) return null
      if (stream.match(lineComment)) {
        stream.skipToEnd()
        return 'comment'
      }
      if (stream.match('/*')) return begin(stream, position, 'comment', '*/')
      const quote = stream.match(/^("""|'''|["'`])/) as RegExpMatchArray | null
      if (quote) return begin(stream, position, 'string', quote[0])
      if (stream.match(/^\d[\w.]*/)) return 'number'
      const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u) as RegExpMatchArray | null
      if (word) return keywords.has(word[0].toLowerCase()) ? 'keyword' : null
      stream.next()
      return null
    },
  })
}

function begin(stream: StringStream, position: Position, kind: Position['kind'], end: string): string {
  Object.assign(position, { end, kind })
  return rest(stream, position)
}

function rest(stream: StringStream, position: Position): string {
  const { end, kind } = position
  while (!stream.eol()) {
    if (stream.match(end!)) {
      position.end = undefined
      return kind
    }
    if (stream.next() === '\\') stream.next()
  }
  // Strings in simple quotes end with their line: an apostrophe must not colour the rest of the text.
  if (end === '"' || end === "'") position.end = undefined
  return kind
}

const tokenizers = new Map<string, Language>()

function tokenizerFor(info: string): Language | undefined {
  const name = /^[\w+#-]+/.exec(info)?.[0] ?? ''
  if (name === '' || proseLanguages.test(name)) return undefined
  const kind = hashComments.test(name) ? '#' : dashComments.test(name) ? '--' : '//'
  const known = tokenizers.get(kind) ?? tokenizer(name)
  tokenizers.set(kind, known)
  return known
}

/** Markdown as on GitHub, with highlighted code. Without HTML, which posts cannot have and whose parser is large. */
export const postMarkdown = new Language(
  markdownLanguage.data,
  (markdownLanguage.parser as MarkdownParser).configure([
    { remove: ['Subscript', 'Superscript', 'Emoji'] },
    parseCode({ codeParser: (info) => tokenizerFor(info)?.parser ?? null }),
  ]),
  [],
  'markdown',
)
