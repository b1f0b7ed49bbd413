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
