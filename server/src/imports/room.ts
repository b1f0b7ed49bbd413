import type { importOperations } from '@pennypost/contract/import-operations'
import type { Room } from '../platform/room.ts'
import { importAttachment, importImage } from './import-files.ts'
import { importPost } from './import-post.ts'
import { listImportedPosts } from './list-imported-posts.ts'
import type { ImportServices } from './services.ts'
import { startImport } from './start-import.ts'

export const importsRoom: Room<typeof importOperations, ImportServices> = {
  handlers: {
    startImport,
    importPost,
    importImage,
    importAttachment,
    listImportedPosts,
  },
  jobs: [],
}
