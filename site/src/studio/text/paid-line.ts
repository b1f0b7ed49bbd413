import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { type Command, Decoration, EditorView, WidgetType } from '@codemirror/view'
import { blockStarts, nextPaidLinePosition, paidLine, placePaidLine, removePaidLine } from './post-text.ts'

// The line between the free preview and the paid content, as the author sees it: it can be dragged, moved by its buttons
// and by the keyboard, and removed.

/** Whether the post is for sale: without a price on it, readers see nothing of what is below the line. */
export const setForSale = StateEffect.define<boolean>()

const forSale = StateField.define<boolean>({
  create: () => false,
  update: (isForSale, { effects }) => effects.find((effect) => effect.is(setForSale))?.value ?? isForSale,
})

/** Where a dragged line would go. */
const setTarget = StateEffect.define<number | undefined>()

const target = StateField.define<number | undefined>({
  create: () => undefined,
  update(position, { effects, docChanged }) {
    for (const effect of effects) if (effect.is(setTarget)) return effect.value
    return docChanged ? undefined : position
  },
  provide: (field) =>
    EditorView.decorations.compute([field], (state) => {
      const position = state.field(field)
      if (position === undefined) return Decoration.none
      return Decoration.set(Decoration.widget({ widget: new TargetWidget(), block: true, side: -2 }).range(position))
    }),
})

class TargetWidget extends WidgetType {
  override toDOM(): HTMLElement {
    const mark = document.createElement('div')
    mark.className = 'paid-line-target'
    return mark
  }
  override eq(): boolean {
    return true
  }
}

/** Moves the line by a paragraph: -1 up, 1 down. */
export const movePaidLine =
  (direction: -1 | 1): Command =>
  (view) => {
    const position = nextPaidLinePosition(view.state, direction)
    return position !== undefined && placeAt(view, position)
  }

/** Puts the line before the line with the cursor, or after it if the cursor is at its end. What is typed next is paid. */
export const placePaidLineHere: Command = (view) => {
  const { doc, selection } = view.state
  const { head } = selection.main
  const line = doc.lineAt(head)
  const isAtEnd = head === line.to && line.text.trim() !== ''
  placeAt(view, isAtEnd ? Math.min(line.to + 1, doc.length) : line.from)
  const at = view.state.field(paidLine)
  if (at !== null && view.state.selection.main.head <= at)
    view.dispatch({ selection: { anchor: at + 1 }, scrollIntoView: true })
  return true
}

/** Puts the line at the end, if there is none yet: a new post is free until its author says otherwise. */
export const addPaidLine: Command = (view) =>
  view.state.field(paidLine) === null && placeAt(view, view.state.doc.length)

export const takePaidLineAway: Command = (view) => {
  const spec = removePaidLine(view.state)
  if (spec) view.dispatch(spec)
  return spec !== undefined
}

function placeAt(view: EditorView, position: number): boolean {
  const spec = placePaidLine(view.state, position)
  if (spec) view.dispatch(spec)
  return spec !== undefined
}

interface PaidLineOptions {
  /** Called after the author removed the line with its button. */
  readonly onRemove: () => void
}

/** Shows the line. */
export const paidLineView = ({ onRemove }: PaidLineOptions, isForSale: boolean): Extension => [
  forSale.init(() => isForSale),
  target,
  EditorView.decorations.compute([paidLine, forSale], (state) => {
    const at = state.field(paidLine)
    if (at === null) return Decoration.none
    const widget = new PaidLineWidget(state.field(forSale), onRemove)
    return Decoration.set(Decoration.widget({ widget, block: true, side: -1 }).range(at + 1))
  }),
]

class PaidLineWidget extends WidgetType {
  constructor(
    readonly isForSale: boolean,
    readonly onRemove: () => void,
  ) {
    super()
  }

  override eq({ isForSale }: PaidLineWidget): boolean {
    return isForSale === this.isForSale
  }

  override toDOM(view: EditorView): HTMLElement {
    const line = document.createElement('div')
    line.className = this.isForSale ? 'paid-line' : 'paid-line off'
    line.setAttribute('role', 'group')
    line.setAttribute('aria-label', 'Paid from here')
    const label = document.createElement('span')
    label.className = 'paid-line-label'
    label.textContent = this.isForSale ? 'Paid from here' : 'Not published: this post is free'
    const button = (name: string, sign: string, action: () => unknown) => {
      const made = document.createElement('button')
      made.type = 'button'
      made.textContent = sign
      made.title = name
      made.setAttribute('aria-label', name)
      made.addEventListener('click', action)
      return made
    }
    line.append(
      label,
      button('Move the paid line up', '↑', () => movePaidLine(-1)(view)),
      button('Move the paid line down', '↓', () => movePaidLine(1)(view)),
      button('Remove the paid line', '×', () => {
        takePaidLineAway(view)
        this.onRemove()
        view.focus()
      }),
    )
    makeDraggable(line, view)
    return line
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** Drags the line with mouse, pen or finger. It goes to the nearest place between two blocks. */
function makeDraggable(line: HTMLElement, view: EditorView): void {
  line.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || (event.target as Element).closest('button')) return
    event.preventDefault()
    line.classList.add('dragged')
    const dragging = new AbortController()
    const { signal } = dragging
    const end = (isDropped: boolean) => {
      dragging.abort()
      line.classList.remove('dragged')
      const position = view.state.field(target)
      view.dispatch({ effects: setTarget.of(undefined) })
      if (isDropped && position !== undefined) placeAt(view, position)
    }
    // On the window: the editor may redraw the line meanwhile.
    addEventListener(
      'pointermove',
      ({ clientY }) => {
        const position = nearestPlace(view, clientY)
        if (position !== view.state.field(target)) view.dispatch({ effects: setTarget.of(position) })
      },
      { signal },
    )
    addEventListener('pointerup', () => end(true), { signal })
    addEventListener('pointercancel', () => end(false), { signal })
    addEventListener('keydown', ({ key }) => key === 'Escape' && end(false), { signal })
  })
}

/** The place between two blocks that is nearest to a height in the window. */
function nearestPlace(view: EditorView, clientY: number): number | undefined {
  const height = clientY - view.documentTop
  const end = view.state.doc.length
  const distance = (start: number) => {
    const { top, bottom } = view.lineBlockAt(start)
    return Math.abs((start === end ? bottom : top) - height)
  }
  return blockStarts(view.state).reduce<number | undefined>(
    (nearest, start) => (nearest === undefined || distance(start) < distance(nearest) ? start : nearest),
    undefined,
  )
}
