import { importAttachment, importImage, importPost, listImportedPosts, startImport } from './imports.ts'

/** Bringing posts along from other sites. */
export const importOperations = {
  startImport,
  importPost,
  importImage,
  importAttachment,
  listImportedPosts,
}
