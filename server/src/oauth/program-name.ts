import { oneLine, truncate } from '@pennypost/site/clean-text'

const maxLength = 80
// Characters that nobody sees: formatting, fillers such as U+3164, the blank of Braille, and those of private fonts.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\u2800]/gu
// No script needs more marks on one letter. A tower of them would cover the lines around it.
const extraMarks = /(\p{M}{3})\p{M}+/gu

/** The name that a program gives itself, without what could disguise it. Null if nothing is left. */
export const programName = (name: string | undefined): string | null =>
  truncate(
    oneLine(
      oneLine(name ?? '')
        .replaceAll(invisible, '')
        .replaceAll(extraMarks, '$1'),
    ),
    maxLength,
  ) || null
