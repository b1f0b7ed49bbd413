const maxLength = 100

/** A name that is safe as part of a path on every system: no folders, control characters or characters Windows forbids. */
export function safeName(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
  const characters = [...plain]
  // The end has the extension, so the middle goes.
  const short =
    characters.length <= maxLength
      ? plain
      : `${characters.slice(0, maxLength - 20).join('')}${characters.slice(-20).join('')}`
  return short === '' ? '_' : short
}
