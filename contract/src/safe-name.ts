// File systems allow 255 bytes, and the name may get a prefix or an extension.
const maxBytes = 180
const endBytes = 40

/** A name that is safe as part of a path on every system: no folders, control characters or characters Windows forbids. */
export function safeName(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
  if (Buffer.byteLength(plain) <= maxBytes) return plain === '' ? '_' : plain
  // The end has the extension, so the middle goes.
  const characters = [...plain]
  return upTo(characters, maxBytes - endBytes) + upTo(characters.toReversed(), endBytes, true)
}

/** The characters that fit into a number of bytes. */
function upTo(characters: readonly string[], bytes: number, isReversed = false): string {
  let left = bytes
  const end = characters.findIndex((character) => {
    left -= Buffer.byteLength(character)
    return left < 0
  })
  const taken = characters.slice(0, end)
  return (isReversed ? taken.toReversed() : taken).join('')
}
