import { say } from './dom.ts'
import { button } from './form.ts'

/** Puts a text into the clipboard, and says so. */
export const copyButton = (text: string, said: string, words = 'Copy', style?: string): HTMLButtonElement =>
  button(
    words,
    async () => {
      await navigator.clipboard.writeText(text)
      say(said)
    },
    style,
  )
