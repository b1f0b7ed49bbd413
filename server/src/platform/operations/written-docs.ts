import { readFileSync } from 'node:fs'

// The documentation changes only with the code, so `npm run build` writes it and no process spends two seconds on it when
// it starts. Only our origins and the name of the site are filled in when it is asked for.

export const writtenDocsFolder = new URL('../../docs/', import.meta.url)

/** Marks in what was written, for what only a running service knows. */
export const originMark = 'https://origin.invalid'
export const titleMark = '{{title}}'

const names = {
  reference: 'reference.html',
  openApi: 'openapi.json',
  adminOpenApi: 'openapi-admin.json',
  guides: 'guides.json',
  entries: 'entries.json',
} as const

export type WrittenDocs = keyof typeof names

export const writtenDocsFile = (name: WrittenDocs): URL => new URL(names[name], writtenDocsFolder)

export const readWrittenDocs = (name: WrittenDocs): string => readFileSync(writtenDocsFile(name), 'utf8')
