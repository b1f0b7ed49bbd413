import type { Children } from '../jsx/markup.ts'
import { render } from '../jsx/render.ts'

/** Opens a modal dialog. It is removed from the page when it closes. */
export function openDialog(attributes: Readonly<Record<string, string>>, content: Children): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  for (const [name, value] of Object.entries(attributes)) dialog.setAttribute(name, value)
  render(content, dialog)
  dialog.addEventListener('close', () => {
    // Ends the effects of the content.
    render(null, dialog)
    dialog.remove()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** The row with the button that closes the dialog it is in. */
export const CloseButton = () => (
  <form method="dialog" class="row">
    <button type="submit" class="quiet-button">
      Close
    </button>
  </form>
)
