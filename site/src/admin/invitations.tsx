import { createInvitation, type Invitation, listInvitations, revokeInvitation } from '@pennypost/contract/invitations'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { Field, Form } from '../ui/form.tsx'

/** Codes for people who may sign up while the site is not open to everyone. */
export function Invitations({ first }: { readonly first: readonly Invitation[] }) {
  const [invitations, setInvitations] = useState(first)
  const reload = async () => setInvitations((await callApi(listInvitations, {})).invitations)
  return (
    <div>
      <Form
        submit="Make an invitation"
        send={async (fields) => {
          const label = String(fields.get('label')).trim()
          const maxUses = Number(fields.get('maxUses'))
          await callApi(createInvitation, { body: { maxUses, ...(label !== '' && { label }) } })
          await reload()
        }}
      >
        {(errors) => (
          <>
            <Field label="For whom" hint="Only administrators see it." error={errors.label}>
              <input name="label" maxlength={100} autocomplete="off" />
            </Field>
            <Field label="How many accounts" error={errors.maxUses}>
              <input name="maxUses" type="number" required min={1} max={1000} defaultValue={1} />
            </Field>
          </>
        )}
      </Form>
      <ul class="rows">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} onChange={reload} />
        ))}
      </ul>
      {invitations.length === 0 && <p class="empty">There are no invitations yet.</p>}
    </div>
  )
}

interface InvitationRowProps {
  readonly invitation: Invitation
  readonly onChange: () => Promise<void>
}

function InvitationRow({ invitation, onChange }: InvitationRowProps) {
  const { id, label, url, maxUses, usedCount, expiresAt, revokedAt } = invitation
  const isOver = revokedAt !== null || usedCount >= maxUses || new Date(expiresAt) < new Date()
  const revoke = async () => {
    await callApi(revokeInvitation, { params: { invitationId: id } })
    await onChange()
  }
  return (
    <li data-item="">
      <div>
        <p>
          <b dir="auto">{label ?? 'Invitation'}</b>
        </p>
        <p class="facts">
          Used {usedCount} of {maxUses} times, {revokedAt === null ? `until ${formatDate(expiresAt)}` : 'revoked'}
        </p>
        {!isOver && <Copyable name="Link" value={url} />}
      </div>
      {!isOver && (
        <div class="row">
          <Button action={revoke}>Revoke</Button>
        </div>
      )}
    </li>
  )
}
