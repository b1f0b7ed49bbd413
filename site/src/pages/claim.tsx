import { claimAdmin } from '@pennypost/contract/admin-claim'
import { callApi } from '../call-api.ts'
import { requireAccount } from '../session.ts'
import { Field, Form } from '../ui/form.tsx'
import { showPage } from '../ui/show-page.tsx'

// The token is in the fragment, which is not sent to any server. It is kept in this tab while its user signs in.
const given = new URLSearchParams(location.hash.slice(1)).get('token')
if (given !== null) {
  sessionStorage.setItem('claim-token', given)
  history.replaceState(null, '', location.pathname)
}
const token = sessionStorage.getItem('claim-token') ?? ''

await showPage(async () => {
  const { isAdmin } = await requireAccount()
  if (isAdmin) location.assign('/admin/site')
  return (
    <Form
      submit="Become the administrator"
      send={async (fields) => {
        await callApi(claimAdmin, { body: { token: String(fields.get('token')).trim() } })
        sessionStorage.removeItem('claim-token')
        location.assign('/admin/site')
      }}
    >
      {(errors) => (
        <Field label="Token" hint="The service prints it when it starts." error={errors.token}>
          <input name="token" required maxlength={200} autocomplete="off" spellcheck={false} defaultValue={token} />
        </Field>
      )}
    </Form>
  )
})
