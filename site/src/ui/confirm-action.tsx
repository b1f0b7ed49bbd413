import { getElement } from '../get-element.ts'
import { openDialog } from './open-dialog.tsx'

/**
 * Asks for confirmation in a dialog. With a `label` it also asks for a text, such as a reason.
 * Returns that text (empty without a `label`), or undefined if the user cancelled.
 */
export function confirmAction(question: string, action: string, label?: string): Promise<string | undefined> {
  const dialog = openDialog(
    { 'aria-label': question },
    <form method="dialog" class="card">
      <h2>{question}</h2>
      {label !== undefined && (
        <label class="field">
          {label}
          <textarea required maxlength={2000} rows={4} />
        </label>
      )}
      <div class="row">
        <button type="submit" class="quiet-button" value="" formnovalidate>
          Cancel
        </button>
        <button type="submit" value="yes">
          {action}
        </button>
      </div>
    </form>,
  )
  const input = label === undefined ? undefined : getElement<HTMLTextAreaElement>('textarea', dialog)
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes' ? (input?.value ?? '') : undefined))
  })
}
