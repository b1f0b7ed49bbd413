/** Test files of the API that cannot run on the servers of the cluster, each with the reason. */
export const leftOut = {
  'server/src/platform/database/database.test.ts':
    'is about connections that are sessions of PostgreSQL; platform/database/pooler.slow.test.ts is about those through a pooler',
  'server/src/platform/database/delete-in-batches.test.ts':
    'sets the planner for a session, to see which index a query can use',
  'server/src/uploads/screen-upload.test.ts': 'changes the times of files in the local folder, to make them old',
}
