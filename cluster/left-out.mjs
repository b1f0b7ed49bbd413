/** Test files of the API that cannot run on the servers of the cluster, each with the reason. */
export const leftOut = {
  'server/src/platform/database/database.test.ts':
    'is about connections that are sessions of PostgreSQL; platform/database/require-sessions.slow.test.ts is about those through a pooler',
  'server/src/uploads/lost-bytes.test.ts': 'takes files of the local folder away, as an unmounted disk would',
  'server/src/uploads/screen-upload.test.ts': 'changes the times of files in the local folder, to make them old',
}
