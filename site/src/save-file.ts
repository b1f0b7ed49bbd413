/** Saves bytes from the API as a file, as if a link had been clicked. */
export function saveFile(bytes: unknown, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/csv' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
