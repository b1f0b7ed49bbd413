import { redo, undo } from '@codemirror/commands'
import { openSearchPanel } from '@codemirror/search'
import type { Command } from '@codemirror/view'
import {
  insertCode,
  insertFootnote,
  insertLink,
  insertRule,
  insertTable,
  toggleHeading,
  toggleList,
  toggleMark,
  toggleNumbers,
  toggleQuote,
} from './commands.ts'
import { movePaidLine, placePaidLineHere } from './paid-line.ts'

/** Something an author can do to the text: by a button of the toolbar, by keys, or by the slash menu. */
export interface Action {
  readonly name: string
  readonly label: string
  readonly run: Command
  /** As CodeMirror writes it: `Mod` is Ctrl, or ⌘ on a Mac. */
  readonly key?: string
  /** The paths of its icon in a square of 24. Only actions with an icon are in the toolbar. */
  readonly icon?: string
  /** Whether the toolbar shows its label beside the icon. */
  readonly isNamed?: true
  /** The hint in the slash menu. Only actions with a hint are in the menu. */
  readonly hint?: string
}

export interface FileActions {
  readonly chooseImage: () => void
  readonly chooseZip: () => void
  readonly onPaidLine: () => void
}

const then =
  (action: () => void): Command =>
  () => {
    action()
    return true
  }

/** Everything the toolbar, the shortcuts, the slash menu and the keyboard help offer. */
export const actionsOf = ({ chooseImage, chooseZip, onPaidLine }: FileActions): readonly Action[] => [
  { name: 'undo', label: 'Undo', run: undo, key: 'Mod-z', icon: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3' },
  { name: 'redo', label: 'Redo', run: redo, key: 'Mod-Shift-z', icon: 'm15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3' },
  {
    name: 'bold',
    label: 'Bold',
    run: toggleMark('**'),
    key: 'Mod-b',
    icon: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z',
  },
  { name: 'italic', label: 'Italic', run: toggleMark('*'), key: 'Mod-i', icon: 'M11 5h7M6 19h7M14.5 5l-5 14' },
  { name: 'strike', label: 'Strikethrough', run: toggleMark('~~'), key: 'Mod-Shift-x' },
  {
    name: 'heading',
    label: 'Heading',
    run: toggleHeading(2),
    key: 'Mod-Alt-2',
    icon: 'M6 5v14M18 5v14M6 12h12',
    hint: 'A section of the post',
  },
  { name: 'subheading', label: 'Small heading', run: toggleHeading(3), key: 'Mod-Alt-3', hint: 'Inside a section' },
  {
    name: 'link',
    label: 'Link',
    run: insertLink,
    key: 'Mod-k',
    icon: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.7l-1.4 1.4M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.7l1.4-1.4',
  },
  {
    name: 'quote',
    label: 'Quote',
    run: toggleQuote,
    key: 'Mod-Shift-9',
    icon: 'M5 6v12M9 8h10M9 12h10M9 16h6',
    hint: 'Someone else’s words',
  },
  {
    name: 'list',
    label: 'List',
    run: toggleList,
    key: 'Mod-Shift-8',
    icon: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
    hint: 'With bullets',
  },
  {
    name: 'numbers',
    label: 'Numbered list',
    run: toggleNumbers,
    key: 'Mod-Shift-7',
    icon: 'M10 6h10M10 12h10M10 18h10M4 5l1.5-1v5M4 14.5c.5-1.5 3-1 2.5.5L4 18h3',
    hint: '1, 2, 3',
  },
  {
    name: 'code',
    label: 'Code',
    run: insertCode,
    key: 'Mod-e',
    icon: 'm8 7-5 5 5 5M16 7l5 5-5 5',
    hint: 'A block in a fixed font',
  },
  {
    name: 'image',
    label: 'Image',
    run: then(chooseImage),
    icon: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
    hint: 'From a file. Or paste or drop one',
  },
  {
    name: 'table',
    label: 'Table',
    run: insertTable,
    key: 'Mod-Alt-t',
    icon: 'M4 5h16v14H4zM4 10h16M4 14.5h16M12 5v14',
    hint: 'Two columns to begin with',
  },
  {
    name: 'footnote',
    label: 'Footnote',
    run: insertFootnote,
    key: 'Mod-Alt-f',
    icon: 'M4 18 9 6l5 12M6 14h6M17 5l2-1v6',
    hint: 'A note at the end',
  },
  { name: 'rule', label: 'Divider', run: insertRule, hint: 'A line between two sections' },
  {
    name: 'file',
    label: 'ZIP file',
    run: then(chooseZip),
    icon: 'M14 3H6v18h12V7zM14 3v4h4M12 11v6M9.5 14.5 12 17l2.5-2.5',
    hint: 'A download for buyers',
  },
  {
    name: 'paid',
    label: 'Paid from here',
    run: (view) => {
      placePaidLineHere(view)
      onPaidLine()
      return true
    },
    key: 'Mod-Shift-Enter',
    icon: 'M3 12h4M17 12h4M9.5 15c.5 1 4.5 1.5 4.5-.8 0-2.6-4.5-1.6-4.5-4.2 0-2 3.5-2 4.3-.7M12 6.5v11',
    isNamed: true,
    hint: 'Readers pay for what follows',
  },
  { name: 'paid-up', label: 'Move the paid line up', run: movePaidLine(-1), key: 'Mod-Alt-ArrowUp' },
  { name: 'paid-down', label: 'Move the paid line down', run: movePaidLine(1), key: 'Mod-Alt-ArrowDown' },
  {
    name: 'search',
    label: 'Find and replace',
    run: openSearchPanel,
    key: 'Mod-f',
    icon: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20',
  },
]

/** A shortcut as people read it. */
export const keyLabel = (key: string): string => {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  const names: Readonly<Record<string, string>> = isMac
    ? { Mod: '⌘', Alt: '⌥', Shift: '⇧', Enter: '↵', ArrowUp: '↑', ArrowDown: '↓' }
    : { Mod: 'Ctrl', ArrowUp: '↑', ArrowDown: '↓' }
  return key
    .split('-')
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(isMac ? '' : '+')
}
