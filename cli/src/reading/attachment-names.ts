import { safeName } from '@pennypost/contract/safe-name'

/**
 * Names for the ZIP files of a post in one folder. A buyer keeps a file that its author replaced, often with one of the same
 * name; and some file systems do not tell capital letters from small ones.
 */
export function attachmentNames(attachments: readonly { readonly id: string; readonly filename: string }[]): string[] {
  const taken = new Set<string>()
  return attachments.map(({ id, filename }) => {
    const plain = safeName(filename)
    const name = taken.has(plain.toLowerCase()) ? safeName(`${id.slice(0, 8)} ${filename}`) : plain
    taken.add(name.toLowerCase())
    return name
  })
}
