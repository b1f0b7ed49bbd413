import { useRef } from 'preact/hooks'
import { showKeys } from '../../ui/show-keys.tsx'
import { type Action, keyLabel } from './actions.ts'

interface ToolbarProps {
  readonly actions: readonly Action[]
  readonly onAction: (action: Action) => void
  readonly isSource: boolean
  readonly onSource: (isSource: boolean) => void
}

/** The buttons above the text; on a phone, below it and above the keyboard. The arrow keys move between them. */
export function Toolbar({ actions, onAction, isSource, onSource }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const buttons = [...bar.current!.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const next = buttons[(at + step + buttons.length) % buttons.length]!
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1
    next.focus()
  }
  return (
    <div class="text-toolbar" role="toolbar" aria-label="Formatting" ref={bar} onKeyDown={move}>
      {actions
        .filter(({ icon }) => icon !== undefined)
        .map((action, index) => (
          <button
            key={action.name}
            type="button"
            data-action={action.name}
            tabindex={index === 0 ? 0 : -1}
            aria-label={action.label}
            title={action.key === undefined ? action.label : `${action.label} (${keyLabel(action.key)})`}
            // The text keeps the focus, and a phone its keyboard.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onAction(action)}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={action.icon} />
            </svg>
            {action.isNamed && action.label}
          </button>
        ))}
      <button
        type="button"
        tabindex={-1}
        aria-pressed={isSource}
        title="Show the plain Markdown"
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onSource(!isSource)}
      >
        Source
      </button>
      <button
        type="button"
        tabindex={-1}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        onClick={() => showActions(actions)}
      >
        ?
      </button>
    </div>
  )
}

const showActions = (actions: readonly Action[]): void =>
  showKeys([
    ...actions.flatMap(({ key, label }) => (key === undefined ? [] : [[keyLabel(key), label] as const])),
    [keyLabel('Mod-s'), 'Save'],
    ['/', 'At the start of a line: insert something'],
  ])
