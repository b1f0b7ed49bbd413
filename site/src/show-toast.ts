import { findElement, h } from './dom.ts'

const toastMs = 5000

/** Shows a short message for a few seconds. Screen readers read it out. */
export function showToast(message: string): void {
  const toasts =
    findElement('.toasts') ??
    document.body.appendChild(h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' }))
  const toast = h('p', {}, message)
  toasts.append(toast)
  setTimeout(() => toast.remove(), toastMs)
}
