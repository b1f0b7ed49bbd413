import { confirmAction } from '../ui/confirm-action.tsx'
import { countLocalCopies } from './local-copy.ts'

/** Asks before changes are lost that only this browser has. Returns whether to go on. */
export async function confirmLoss(): Promise<boolean> {
  if ((await countLocalCopies()) === 0) return true
  const question = 'Some changes to your posts are not saved. Signing out deletes them from this browser.'
  return (await confirmAction(question, 'Sign out')) !== undefined
}
