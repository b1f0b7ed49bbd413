import { deepEqual, equal } from 'node:assert/strict'
import { getProfile, updateProfile } from '@pennypost/contract/profiles'
import type { Person } from '../test/person.ts'

/** Sends a patch, even one that the types do not allow. */
export const patch = (person: Person, body: unknown) => person.sends(updateProfile, { body })

export const read = async (person: Person) => (await person.calls(getProfile, {})).body

/** Checks that a patch is refused because of one field and changes nothing. */
export async function refused(person: Person, body: unknown, field: string, code?: string): Promise<void> {
  const before = await read(person)
  const reply = await patch(person, body)
  equal(reply.status, 422, JSON.stringify(body))
  equal(reply.body.code, 'validation')
  const [error] = reply.body.errors
  equal(error.field, field, JSON.stringify(reply.body.errors))
  if (code !== undefined) equal(error.code, code)
  deepEqual(await read(person), before)
}
