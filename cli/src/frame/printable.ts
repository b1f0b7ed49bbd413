// Other people wrote the texts that the service returns. A title with terminal escapes could rewrite the screen, set the
// title of the window, or answer a prompt in place of the user.

/** C0 and C1 controls, delete, line separators, and marks that reorder the text around them. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** A text without control characters, in which only line breaks and tabs are left. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(controls, '')

/** The same on one line. */
export const printableLine = (text: string): string => printable(text.replaceAll(/\s+/g, ' ')).trim()

/** JSON whose strings have no control character, not even those that JSON allows. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
