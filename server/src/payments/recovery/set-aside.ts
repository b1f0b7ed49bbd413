import { z } from 'zod'
import { readJournals } from '../../platform/journal.ts'
import type { PaymentServices } from '../services.ts'

/**
 * The state of a lost record that could not be recovered: it `waits` for a person, a person has `acknowledged` it, or it
 * is `over`: the database has it again. This is recorded in the journal, because a restored database would not have it.
 */
const SetAside = z.object({
  setAside: z.string(),
  state: z.enum(['waits', 'acknowledged', 'over']),
  reason: z.string(),
  at: z.iso.datetime(),
})
type SetAside = z.output<typeof SetAside>

/** By the name of the record. */
export type SetAsides = ReadonlyMap<string, SetAside>

export const setAside = (
  { journal, clock }: Pick<PaymentServices, 'journal' | 'clock'>,
  entry: Pick<SetAside, 'setAside' | 'state' | 'reason'>,
): Promise<void> => journal.append({ ...entry, at: clock.now().toISOString() }, { isCompared: false })

/** The newest state of every record in journals that were written to since a time, and of those that are known. */
export async function readSetAsides(
  { config }: Pick<PaymentServices, 'config'>,
  { since, known = new Map() }: { readonly since?: Date; readonly known?: SetAsides } = {},
): Promise<SetAsides> {
  const newest = new Map(known)
  for await (const line of readJournals(config.dataDir, since)) {
    const { data } = SetAside.safeParse(line)
    // Several programs may have written on the same day, each into its own file.
    if (data && data.at >= (newest.get(data.setAside)?.at ?? '')) newest.set(data.setAside, data)
  }
  return newest
}

export const isSetAside = (line: unknown): boolean => SetAside.safeParse(line).success

export const isGivenUp = (setAsides: SetAsides, name: string): boolean =>
  ['waits', 'acknowledged'].includes(setAsides.get(name)?.state ?? '')

export const waitingIn = (setAsides: SetAsides): SetAside[] =>
  [...setAsides.values()].filter(({ state }) => state === 'waits')
