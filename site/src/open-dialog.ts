import { append, type Child, h } from './dom.ts'

/** Opens a modal dialog. It is removed from the page when it closes. */
export function openDialog(
  properties: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLDialogElement {
  const dialog = h('dialog', properties)
  append(dialog, children)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** The row with the button that closes the dialog it is in. */
export const closeButton = (): HTMLFormElement =>
  h('form', { method: 'dialog', class: 'row' }, h('button', { class: 'quiet-button' }, 'Close'))
