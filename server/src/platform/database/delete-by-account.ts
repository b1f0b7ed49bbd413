/** An account, and whether it has rows that may be deleted. */
export interface AccountWithOld {
  readonly accountId: string
  readonly hasOld: boolean
}

interface DeleteByAccount {
  /** The next accounts in id order, at most `limit`. */
  listNext(after: string, limit: number): Promise<readonly AccountWithOld[]>
  /** Deletes at most `limit` rows of an account. Returns how many. */
  deleteSome(accountId: string, limit: number): Promise<number>
  readonly batchSize: number
}

const firstId = '00000000-0000-0000-0000-000000000000'
const accountsPerBatch = 1_000
// The next run starts over the next day, with fewer rows.
const maxDurationMs = 30 * 60_000

/** Deletes old rows account by account, for tables that have no index by time alone. */
export async function deleteByAccount({ listNext, deleteSome, batchSize }: DeleteByAccount): Promise<void> {
  const endsAt = performance.now() + maxDurationMs
  for (let after: string | undefined = firstId; after !== undefined && performance.now() < endsAt; ) {
    const accounts: readonly AccountWithOld[] = await listNext(after, accountsPerBatch)
    for (const { accountId, hasOld } of accounts)
      for (let deleted = batchSize; hasOld && deleted === batchSize && performance.now() < endsAt; )
        deleted = await deleteSome(accountId, batchSize)
    after = accounts.length === accountsPerBatch ? accounts.at(-1)!.accountId : undefined
  }
}
