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

/** Holds an archive to every rule on its real bytes, and looks at the pictures in it. */
export async function screenZip(path: string, known: PictureList, beforeDecoding: BeforeDecoding): Promise<ZipVerdict> {
  if ((await stat(path)).size > zipLimits.archiveBytes) broken('file-too-large')
  const members = readMembers(await readFile(path))
  const coverage = new PictureCoverage(known, beforeDecoding)
  // One member in memory at a time, and all of them before the first picture: a broken archive costs no decoding.
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
