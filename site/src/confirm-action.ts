import { h } from './dom.ts'
import { openDialog } from './open-dialog.ts'

/**
 * Asks for confirmation in a dialog. With a `label` it also asks for a text, such as a reason.
 * Returns that text (empty without a `label`), or undefined if the user cancelled.
 */
export function confirmAction(question: string, action: string, label?: string): Promise<string | undefined> {
  const input = label === undefined ? undefined : h('textarea', { required: true, maxlength: 2000, rows: 4 })
  const dialog = openDialog(
    { 'aria-label': question },
    h(
      'form',
      { method: 'dialog', class: 'card' },
      h('h2', {}, question),
      input && h('label', { class: 'field' }, label, input),
      h(
        'div',
        { class: 'row' },
        h('button', { class: 'quiet-button', value: '', formnovalidate: true }, 'Cancel'),
        h('button', { value: 'yes' }, action),
      ),
    ),
  )
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes' ? (input?.value ?? '') : undefined))
  })
}
