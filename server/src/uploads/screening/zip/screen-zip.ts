import { readFile, stat } from 'node:fs/promises'
import type { BeforeDecoding } from '../images/decode.ts'
import { formatOf } from '../images/image-shape.ts'
import type { PictureList } from '../picture-list.ts'
import { broken, type ZipVerdict } from '../verdict.ts'
import { inflateMember } from './inflate-member.ts'
import { isMacSystemFile } from './member-name.ts'
import { readMembers } from './members.ts'
import { PictureCoverage } from './picture-coverage.ts'
import { zipLimits } from './zip-limits.ts'

/** Checks an archive against every rule, using its real bytes, and compares its pictures with the list. */
export async function screenZip(path: string, known: PictureList, beforeDecoding: BeforeDecoding): Promise<ZipVerdict> {
  if ((await stat(path)).size > zipLimits.archiveBytes) broken('file-too-large')
  const members = readMembers(await readFile(path))
  const coverage = new PictureCoverage(known, beforeDecoding)
  // Inflates all members, one at a time, before decoding any picture, so that a broken archive costs no decoding.
  const pictures = members.filter((member) => {
    const content = inflateMember(member)
    const isPicture = formatOf(content) !== undefined
    if (!isPicture) coverage.noteNonPicture(content)
    return isPicture
  })
  for (const member of pictures) {
    const content = inflateMember(member)
    const match = await coverage.findMatch(content, formatOf(content)!)
    if (match) return { kind: 'held', reason: 'known-picture', match }
  }
  const files = members.filter(({ isDirectory, name }) => !isDirectory && !isMacSystemFile(name))
  return {
    kind: 'cleared',
    zip: { contents: files.map(({ name }) => name), csamCoverage: coverage.isComplete ? 'complete' : 'partial' },
  }
}
