import { autocompletion, type Completion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { deleteMarkupBackward, insertNewlineContinueMarkup } from '@codemirror/lang-markdown'
import { indentUnit, LanguageSupport } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import { dropCursor, EditorView, highlightActiveLine, type KeyBinding, keymap, placeholder } from '@codemirror/view'
import { type Action, actionsOf, type FileActions } from './actions.ts'
import { postMarkdown } from './code-language.ts'
import { constructStyles } from './construct-styles.ts'
import { imageView } from './images.ts'
import { paidLineView } from './paid-line.ts'
import { movesPaidLine, openPostText, type Parts, paidLine, partsOf, replaceParts } from './post-text.ts'
import { richText, sourceText } from './rich-text.ts'

export interface EditorOptions extends FileActions {
  readonly parts: Parts
  readonly isForSale: boolean
  /** Called after each change of the text. */
  readonly onChange: (parts: Parts) => void
  /** Called with files that were pasted or dropped, after the cursor was put where they go. */
  readonly onFiles: (files: readonly File[]) => void
  /** Called after the author removed the paid line. */
  readonly onRemovePaidLine: () => void
}

export interface TextEditor {
  readonly view: EditorView
  readonly actions: readonly Action[]
  /** Shows the text as it will look, or as plain Markdown. */
  readonly setSource: (isSource: boolean) => void
  /** Replaces both texts, for example by another version. It can be undone. */
  readonly replace: (parts: Parts) => void
}

/** The editor of a post's text: Markdown that looks like the page. */
export function createEditor(parent: Element, options: EditorOptions): TextEditor {
  const { parts, isForSale, onChange, onFiles, onRemovePaidLine } = options
  constructStyles()
  const actions = actionsOf(options)
  const looks = new Compartment()
  const hasPaidLine = isForSale || parts.paid !== ''
  const extensions: Extension = [
    looks.of(richText),
    new LanguageSupport(postMarkdown),
    history(),
    indentUnit.of('    '),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.contentAttributes.of({
      'aria-label': 'Text',
      spellcheck: 'true',
      autocorrect: 'on',
      autocapitalize: 'sentences',
    }),
    placeholder('Write here. Type / for headings, lists, images and more.'),
    highlightActiveLine(),
    dropCursor(),
    search({ top: true }),
    highlightSelectionMatches(),
    EditorState.phrases.of(phrases),
    slashMenu(actions),
    paidLineView({ onRemove: onRemovePaidLine }, isForSale),
    imageView,
    fileHandlers(onFiles),
    keymap.of([
      ...shortcuts(actions),
      { key: 'Enter', run: insertNewlineContinueMarkup },
      { key: 'Backspace', run: deleteMarkupBackward },
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      if (docChanged || transactions.some(movesPaidLine)) onChange(partsOf(state))
    }),
  ]
  const view = new EditorView({ state: openPostText(parts, hasPaidLine, extensions), parent })
  return {
    view,
    actions,
    setSource: (isSource) => view.dispatch({ effects: looks.reconfigure(isSource ? sourceText : richText) }),
    replace(newParts) {
      view.dispatch(replaceParts(view.state, newParts, newParts.paid !== '' || view.state.field(paidLine) !== null))
    },
  }
}

const shortcuts = (actions: readonly Action[]): readonly KeyBinding[] =>
  actions.flatMap(({ key, run }) => (key === undefined ? [] : [{ key, run, preventDefault: true }]))

/** Opens after `/` at the start of a line. */
const slashMenu = (actions: readonly Action[]): Extension => {
  const options = actions
    .filter(({ hint }) => hint !== undefined)
    .map(
      ({ name, label, hint, run }): Completion => ({
        label: `/${label.toLowerCase()}`,
        displayLabel: label,
        detail: hint!,
        type: name,
        apply(view, _, from, to) {
          view.dispatch({ changes: { from, to }, selection: { anchor: from }, userEvent: 'input.complete' })
          run(view)
        },
      }),
    )
  return autocompletion({
    icons: false,
    // Nobody types `/` at the start of a line by accident.
    interactionDelay: 0,
    override: [
      ({ state, pos }) => {
        const line = state.doc.lineAt(pos)
        const typed = state.sliceDoc(line.from, pos)
        return /^\/[\p{L} ]{0,20}$/u.test(typed) ? { from: line.from, options, validFor: /^\/[\p{L} ]*$/u } : null
      },
    ],
  })
}

const fileHandlers = (onFiles: EditorOptions['onFiles']): Extension =>
  Prec.high(
    EditorView.domEventHandlers({
      paste(event) {
        const files = [...(event.clipboardData?.files ?? [])]
        // A spreadsheet copies its cells as text and as a picture of them.
        if (files.length === 0 || event.clipboardData!.types.includes('text/plain')) return false
        event.preventDefault()
        onFiles(files)
        return true
      },
      drop(event, view) {
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length === 0) return false
        event.preventDefault()
        const anchor = view.posAtCoords({ x: event.clientX, y: event.clientY }, false)
        view.dispatch({ selection: { anchor } })
        onFiles(files)
        return true
      },
    }),
  )

const phrases = {
  Find: 'Find',
  Replace: 'Replace with',
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  replace: 'Replace',
  'replace all': 'Replace all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  close: 'Close',
}
