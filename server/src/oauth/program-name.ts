import { oneLine, truncate } from '@pennypost/site/clean-text'

const maxLength = 80

/** The name that a program gives itself, without invisible characters that could disguise it. Null if nothing is left. */
export const programName = (name: string | undefined): string | null =>
  truncate(oneLine(oneLine(name ?? '').replaceAll(/\p{Cf}/gu, '')), maxLength) || null
