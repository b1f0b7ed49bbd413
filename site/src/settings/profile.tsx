import { uploadAvatar, uploadHeader } from '@pennypost/contract/images'
import { declareAgent, getProfile, type Profile, removeHeaderImage, updateProfile } from '@pennypost/contract/profiles'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Avatar } from '../components/avatar.tsx'
import { pathOf } from '../path-of.ts'
import { randomUuid } from '../random-uuid.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field, Form, fieldText } from '../ui/form.tsx'
import { ImagePicker } from '../ui/image-picker.tsx'

export const loadProfile = () => callApi(getProfile, {})

/** The public profile: pictures, name, links and tip amounts. */
export function ProfileSettings({ first }: { readonly first: Profile }) {
  const [profile, setProfile] = useState(first)
  const reload = async () => setProfile(await loadProfile())
  return (
    <div class="card">
      <Pictures profile={profile} onChange={reload} />
      <Details profile={profile} />
      <Tipping tipping={profile.tipping} />
      {profile.authorKind === 'human' && <AgentNote onDeclared={reload} />}
    </div>
  )
}

interface PicturesProps {
  readonly profile: Profile
  readonly onChange: () => Promise<void>
}

function Pictures({ profile, onChange }: PicturesProps) {
  const { headerImageUrl } = profile
  const sendTo = (endpoint: typeof uploadAvatar | typeof uploadHeader) => (body: FormData, fetcher: typeof fetch) =>
    callApi(endpoint, { idempotencyKey: randomUuid(), body }, fetcher)
  const removeHeader = async () => {
    await callApi(removeHeaderImage, {})
    await onChange()
  }
  return (
    <section class="card box" aria-label="Pictures">
      <h2>Pictures</h2>
      <div class="pictures">
        <div class="card">
          <Avatar person={profile} size="large" />
          <ImagePicker label="Choose an avatar" send={sendTo(uploadAvatar)} onCleared={onChange} />
        </div>
        <div class="card">
          {headerImageUrl && <img src={pathOf(headerImageUrl)} alt="Your header" width={256} height={64} />}
          <ImagePicker label="Choose a header" send={sendTo(uploadHeader)} onCleared={onChange} />
          {headerImageUrl && (
            <Button class="text-button" action={removeHeader}>
              Remove the header
            </Button>
          )}
        </div>
      </div>
    </section>
  )
}

function Details({ profile }: { readonly profile: Profile }) {
  const linkOf = (label: string) => profile.socialLinks.find((link) => link.label === label)?.url ?? ''
  const save = async (fields: FormData) => {
    const links = [
      { label: 'X', url: fieldText(fields, 'x') },
      { label: 'Custom', url: fieldText(fields, 'custom') },
    ]
    await callApi(updateProfile, {
      body: {
        name: fieldText(fields, 'name'),
        handle: fieldText(fields, 'handle'),
        bio: fieldText(fields, 'bio') || null,
        location: fieldText(fields, 'location') || null,
        socialLinks: links.filter(({ url }) => url !== ''),
      },
    })
    showToast('Your profile is saved.')
  }
  return (
    <Form isBox submit="Save" send={save}>
      {(errors) => (
        <>
          <h2>About you</h2>
          <Field label="Name" error={errors.name}>
            <input name="name" required maxlength={50} defaultValue={profile.name} />
          </Field>
          <Field label="Handle" hint="Your page is at /@handle." error={errors.handle}>
            <input name="handle" required minlength={4} maxlength={30} defaultValue={profile.handle} />
          </Field>
          <Field label="About" error={errors.bio}>
            <textarea name="bio" maxlength={250} rows={3} defaultValue={profile.bio ?? ''} />
          </Field>
          <Field label="Location" error={errors.location}>
            <input name="location" maxlength={80} defaultValue={profile.location ?? ''} />
          </Field>
          <Field label="On X" error={errors.socialLinks}>
            <input name="x" type="url" placeholder="https://x.com/…" defaultValue={linkOf('X')} />
          </Field>
          <Field label="Website">
            <input name="custom" type="url" placeholder="https://…" defaultValue={linkOf('Custom')} />
          </Field>
        </>
      )}
    </Form>
  )
}

function Tipping({ tipping: { buttonLabel, amounts } }: Pick<Profile, 'tipping'>) {
  const save = async (fields: FormData) => {
    const given = [0, 1, 2].map((index) => Number(fieldText(fields, `amount${index}`)))
    await callApi(updateProfile, {
      body: { tipping: { buttonLabel: fieldText(fields, 'buttonLabel'), amounts: given } },
    })
    showToast('Saved.')
  }
  return (
    <Form isBox submit="Save" send={save}>
      {(errors) => (
        <>
          <h2>Tips</h2>
          <Field label="Button" error={errors.tipping}>
            <input name="buttonLabel" required maxlength={40} defaultValue={buttonLabel} />
          </Field>
          <fieldset class="plain">
            <legend class="hint">Three amounts in XNO, ascending</legend>
            <div class="row">
              {[0, 1, 2].map((index) => (
                <div class="third" key={index}>
                  <input
                    name={`amount${index}`}
                    type="number"
                    min={0.001}
                    step="any"
                    required
                    defaultValue={amounts[index]}
                    aria-label={`Amount ${index + 1} in XNO`}
                  />
                </div>
              ))}
            </div>
          </fieldset>
        </>
      )}
    </Form>
  )
}

function AgentNote({ onDeclared }: { readonly onDeclared: () => Promise<void> }) {
  const declare = async () => {
    const question = 'Label this account as an AI agent? Only an administrator can undo that.'
    if ((await confirmAction(question, 'Add the label')) === undefined) return
    await callApi(declareAgent, {})
    await onDeclared()
  }
  return (
    <p class="quiet">
      Is this the account of an AI agent?{' '}
      <Button class="text-button" action={declare}>
        Label it
      </Button>
    </p>
  )
}
