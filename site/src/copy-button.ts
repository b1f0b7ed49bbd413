import { h } from './dom.ts'
import { button } from './form.ts'
import { showToast } from './show-toast.ts'

/** Puts a text into the clipboard, and says so. */
export const copyButton = (text: string, said: string, words = 'Copy', style?: string): HTMLButtonElement =>
  button(
    words,
    async () => {
      await navigator.clipboard.writeText(text)
      showToast(said)
    },
    style,
  )

/** Something to be copied to the letter, with the button that does it. */
export function copyable(name: string, value: string): HTMLElement {
  const copy = copyButton(value, `The ${name.toLowerCase()} is in your clipboard.`)
  copy.setAttribute('aria-label', `Copy the ${name.toLowerCase()}`)
  return h('div', { class: 'copyable' }, h('span', { class: 'hint' }, name), h('code', {}, value), copy)
}
