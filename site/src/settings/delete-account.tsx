import { deleteAccount } from '@pennypost/contract/personal-data'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { endSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Confirmation, type ConfirmationWays } from '../ui/confirmation.tsx'
import { Field } from '../ui/form.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'

interface DeleteAccountProps {
  readonly ways: ConfirmationWays
  readonly handle: string
}

/** Explains what is deleted and what stays. The button opens a dialog that asks for the handle and a code. */
export const DeleteAccount = (props: DeleteAccountProps) => (
  <>
    <h2>Delete your account</h2>
    <p>This cannot be undone. Export your data first if you want to keep it.</p>
    <h3>What goes</h3>
    <ul>
      <li>Your name, profile, email address, wallets, sessions, keys and settings</li>
      <li>Your drafts, and posts that nobody bought, with their comments and files</li>
      <li>The text of your comments, your reactions, follows, bookmarks and messages</li>
      <li>Your subscribers and followers, series, statistics and notifications</li>
      <li>Your library: you can no longer read what you bought with this account</li>
    </ul>
    <h3>What stays</h3>
    <ul>
      <li>Posts that were sold. Their buyers can still read them, without your name. Nobody else can find them.</li>
      <li>Records of payments. Money that is on its way to you still goes to your address.</li>
      <li>Your handle is not given to anyone else.</li>
    </ul>
    <p>
      <Button class="danger" action={() => openDeletion(props)}>
        Delete my account
      </Button>
    </p>
  </>
)

const openDeletion = (props: DeleteAccountProps): void => {
  openDialog({ 'aria-label': 'Delete your account' }, <Deletion {...props} />)
}

function Deletion({ ways, handle }: DeleteAccountProps) {
  const [typed, setTyped] = useState('')
  const [isDeleted, setDeleted] = useState(false)
  const isRight = typed.trim().replace(/^@/, '').toLowerCase() === handle.toLowerCase()
  if (isDeleted)
    return (
      <div class="card" role="status">
        <h2>Your account is deleted</h2>
        <p>You are signed out everywhere. An email confirms it, if you had an address here.</p>
        <p>
          <a href="/">Home</a>
        </p>
      </div>
    )
  return (
    <div class="card">
      <h2>Delete your account</h2>
      <Field label={`Type your handle, ${handle}, to go on`}>
        <input
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
        />
      </Field>
      {isRight && (
        <Confirmation
          ways={ways}
          purpose="deletion"
          submit="Delete for good"
          send={async (confirmation) => {
            const reply = await callApi(deleteAccount, { body: { handle, confirmation } })
            if (!('deleted' in reply)) return false
            await endSession()
            setDeleted(true)
            return true
          }}
        />
      )}
      <CloseButton />
    </div>
  )
}
