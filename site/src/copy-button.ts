import { h } from './dom.ts'
import { button } from './form.ts'
import { showToast } from './show-toast.ts'

/** A button that copies a text and confirms it with a toast. */
export const copyButton = (text: string, confirmation: string, label = 'Copy', style?: string): HTMLButtonElement =>
  button(
    label,
    async () => {
      await navigator.clipboard.writeText(text)
      showToast(confirmation)
    },
    style,
  )

/** A value with its name and a copy button. */
export function copyable(name: string, value: string): HTMLElement {
  const copy = copyButton(value, `The ${name.toLowerCase()} is in your clipboard.`)
  copy.setAttribute('aria-label', `Copy the ${name.toLowerCase()}`)
  return h('div', { class: 'copyable' }, h('span', { class: 'hint' }, name), h('code', {}, value), copy)
}
