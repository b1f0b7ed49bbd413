import { readFile } from 'node:fs/promises'
import { agreedFormat, formatOf, readShape } from '../../server/dist/uploads/screening/images/image-shape.js'
import { BrokenRule } from '../../server/dist/uploads/screening/verdict.js'
import { inflateMember } from '../../server/dist/uploads/screening/zip/inflate-member.js'
import { isMacSystemFile, readName } from '../../server/dist/uploads/screening/zip/member-name.js'
import { readMembers } from '../../server/dist/uploads/screening/zip/members.js'
import { wrongImage } from './published-image.mjs'
import { readByDirectory, wrongClearance } from './reference-zip.mjs'

const maxPixels = { canvas: 32_000_000, all: 128_000_000 }

/** Reads an archive with the code that clears uploads. Returns `{ outcome, problem }`. */
export function checkZip(bytes) {
  return judge(() => {
    const members = readMembers(bytes).map((member) => ({ ...member, content: inflateMember(member) }))
    for (const { content } of members) formatOf(content)
    const problem = wrongClearance(bytes, members)
    if (problem) return problem
    // Our reader decodes names, so they are compared by what it makes of the bytes that the other one found.
    const names = readByDirectory(bytes).map(({ name }) => readName(Buffer.from(name), false, new Map()))
    return members.every(({ name }, index) => name === names[index]) ? undefined : 'the other reader sees other names'
  })
}

/** Reads the structure of an image with the code that runs before any decoder. */
export function checkImageShape(bytes, declaredType) {
  return judge(() => {
    const { width, height, frames } = readShape(bytes, agreedFormat(bytes, declaredType))
    if (![width, height, frames].every((value) => Number.isInteger(value) && value > 0)) return 'a size is not a number'
    if (width * height > maxPixels.canvas) return 'the canvas is too large'
    return width * height * frames > maxPixels.all ? 'all frames together are too large' : undefined
  })
}

/** Runs a check. Anything but a broken rule that is thrown would end a decoder process. */
function judge(check) {
  try {
    return { outcome: 'cleared', problem: check() }
  } catch (error) {
    if (error instanceof BrokenRule) return { outcome: error.reason }
    return { outcome: 'crashed', problem: error.stack }
  }
}

/** The whole screening of an archive, in a decoder process. */
export async function checkWholeZip(screening, path) {
  const verdict = await screening.screenZip({ path })
  if (verdict.kind !== 'cleared') return { outcome: verdict.reason ?? verdict.kind, problem: problemOf(verdict) }
  const bytes = await readFile(path)
  const problem = wrongClearance(bytes)
  if (problem) return { outcome: 'cleared', problem }
  const files = readByDirectory(bytes)
    .map(({ name }) => Buffer.from(name).toString())
    .filter((name) => !name.endsWith('/') && !isMacSystemFile(name))
  return {
    outcome: 'cleared',
    problem: verdict.zip.contents.length === files.length ? undefined : 'it lists other files',
  }
}

/** The whole screening of an image, in a decoder process: what is published must be that image and nothing else. */
export async function checkWholeImage(screening, { path, outputPath, declaredType }) {
  const verdict = await screening.screenImage({ path, declaredType, maxBytes: 5_242_880, outputPath })
  if (verdict.kind !== 'cleared') return { outcome: verdict.reason ?? verdict.kind, problem: problemOf(verdict) }
  return { outcome: 'cleared', problem: await wrongImage(await readFile(outputPath), verdict.image) }
}

/** Time, memory and crashes are the decoder's failures; a small mutated file must not cause any of them. */
const problemOf = ({ kind, reason }) =>
  kind === 'failed' || kind === 'unavailable' ? `the decoder failed: ${reason ?? kind}` : undefined
