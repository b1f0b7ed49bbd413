import { RefusedError } from '@pennypost/contract/client'
import { getHandleAvailability, updateProfile } from '@pennypost/contract/profiles'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Field, Form } from './form.tsx'
import { openDialog } from './open-dialog.tsx'

/** Runs an action. If the service asks for a name and a handle first, asks the user for them and runs it again. */
export async function withProfile<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'profile-incomplete') throw error
    if (!(await askForProfile())) throw error
    return action()
  }
}

/** Returns whether the profile was saved; false if the user closed the dialog. */
export function askForProfile(): Promise<boolean> {
  return new Promise((resolve) => {
    let isSaved = false
    const dialog = openDialog(
      { 'aria-labelledby': 'profile-title' },
      <ProfileForm
        onSaved={() => {
          isSaved = true
          dialog.close()
        }}
        onCancel={() => dialog.close()}
      />,
    )
    dialog.addEventListener('close', () => resolve(isSaved))
  })
}

interface ProfileFormProps {
  readonly onSaved: () => void
  readonly onCancel: () => void
}

const defaultHint = 'Your page is at /@handle. Letters, digits and _.'

function ProfileForm({ onSaved, onCancel }: ProfileFormProps) {
  const [hint, setHint] = useState(defaultHint)
  const check = async (handle: string) => {
    if (!/^[A-Za-z0-9_]{4,30}$/.test(handle)) return setHint(defaultHint)
    const { available } = await callApi(getHandleAvailability, { query: { handle } })
    setHint(available ? `@${handle} is free.` : `@${handle} is taken.`)
  }
  return (
    <>
      <h2 id="profile-title">How should people call you?</h2>
      <Form
        submit="Save and go on"
        send={async (fields) => {
          const [name, handle] = ['name', 'handle'].map((field) => String(fields.get(field)).trim())
          await callApi(updateProfile, { body: { name, handle } })
          onSaved()
        }}
        actions={
          <button type="button" class="quiet-button" onClick={onCancel}>
            Cancel
          </button>
        }
      >
        {(errors) => (
          <>
            <Field label="Name" hint="Readers see it beside what you write." error={errors.name}>
              <input name="name" required maxlength={50} autocomplete="name" />
            </Field>
            <Field label="Handle" hint={hint} error={errors.handle}>
              <input
                name="handle"
                required
                minlength={4}
                maxlength={30}
                pattern="[A-Za-z0-9_]+"
                autocapitalize="none"
                autocomplete="username"
                spellcheck={false}
                title="Letters, digits and _"
                onChange={(event) => check(event.currentTarget.value)}
              />
            </Field>
          </>
        )}
      </Form>
    </>
  )
}
