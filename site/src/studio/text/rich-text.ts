import { syntaxHighlighting, syntaxTree } from '@codemirror/language'
import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'

// Markdown that looks like the page it becomes. The text stays as it is typed: it only gets classes, whose looks are in
// style/writing.css.

const inline = tagHighlighter([
  { tag: tags.strong, class: 'md-strong' },
  { tag: tags.emphasis, class: 'md-emphasis' },
  { tag: tags.strikethrough, class: 'md-struck' },
  { tag: tags.link, class: 'md-link' },
  { tag: tags.monospace, class: 'md-code' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'md-mark' },
  { tag: [tags.url, tags.labelName, tags.string], class: 'md-quiet' },
  { tag: tags.comment, class: 'code-comment' },
  { tag: tags.keyword, class: 'code-keyword' },
  { tag: tags.number, class: 'code-number' },
])

/** The classes of a block's lines. */
const lineClasses: Readonly<Record<string, string>> = {
  ATXHeading1: 'md-h1',
  ATXHeading2: 'md-h2',
  ATXHeading3: 'md-h3',
  ATXHeading4: 'md-h3',
  ATXHeading5: 'md-h3',
  ATXHeading6: 'md-h3',
  SetextHeading1: 'md-h1',
  SetextHeading2: 'md-h2',
  Blockquote: 'md-quote',
  FencedCode: 'md-block',
  CodeBlock: 'md-block',
  Table: 'md-table',
  ListItem: 'md-item',
  HorizontalRule: 'md-rule',
  LinkReference: 'md-note',
}

/** Each visible line, with its direction by its own text. */
function decorateLines(view: EditorView): DecorationSet {
  const { doc } = view.state
  const classes = new Map<number, Set<string>>()
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter({ name, from: start, to: end }) {
        const looks = lineClasses[name]
        if (looks === undefined) return
        let line = doc.lineAt(Math.max(start, from))
        const last = Math.min(end, to)
        for (;;) {
          const known = classes.get(line.from) ?? new Set()
          classes.set(line.from, known.add(looks))
          if (line.to >= last || line.number === doc.lines) break
          line = doc.line(line.number + 1)
        }
      },
    })
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of view.visibleRanges)
    for (let position = from; position <= to; ) {
      const line = doc.lineAt(position)
      builder.add(line.from, line.from, lineLooks([...(classes.get(line.from) ?? [])].join(' ')))
      position = line.to + 1
    }
  return builder.finish()
}

const knownLooks = new Map<string, Decoration>()

function lineLooks(looks: string): Decoration {
  let known = knownLooks.get(looks)
  if (!known) {
    known = Decoration.line({ attributes: { dir: 'auto', ...(looks && { class: looks }) } })
    knownLooks.set(looks, known)
  }
  return known
}

const decoratedLines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = decorateLines(view)
    }
    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate) {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = decorateLines(view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

/** The looks of the page. */
export const richText: Extension = [
  syntaxHighlighting(inline),
  decoratedLines,
  EditorView.editorAttributes.of({ class: 'rich' }),
]

/** Plain Markdown in one font, for those who prefer the source. */
export const sourceText: Extension = [
  syntaxHighlighting(inline),
  EditorView.editorAttributes.of({ class: 'source' }),
  EditorView.contentAttributes.of({ dir: 'auto' }),
]
