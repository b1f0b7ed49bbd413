import { findElement } from './get-element.ts'

const toastMs = 5000

/** Shows a short message for a few seconds. Screen readers read it out. */
export function showToast(message: string): void {
  const toast = document.createElement('p')
  toast.textContent = message
  toasts().append(toast)
  setTimeout(() => toast.remove(), toastMs)
}

function toasts(): HTMLElement {
  const known = findElement('.toasts')
  if (known) return known
  const list = document.createElement('div')
  list.className = 'toasts'
  list.role = 'status'
  document.body.append(list)
  return list
}
