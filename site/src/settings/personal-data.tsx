import { startExport } from '@pennypost/contract/personal-data'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { requireAccount } from '../session.ts'
import { Confirmation, type ConfirmationWays } from '../ui/confirmation.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { loadEmail } from './email.tsx'
import { loadWallets } from './wallets.tsx'

interface PersonalDataProps {
  readonly ways: ConfirmationWays
  readonly handle: string
}

export async function loadPersonalData(): Promise<PersonalDataProps> {
  const [{ email }, wallets, { handle }] = await Promise.all([loadEmail(), loadWallets(), requireAccount()])
  return { ways: { email, hasWallet: wallets.length > 0 }, handle }
}

/** Exports all data of the account, and deletes the account. */
export const PersonalData = ({ first }: { readonly first: PersonalDataProps }) => (
  <>
    <Export ways={first.ways} />
    <DeleteAccount {...first} />
  </>
)

function Export({ ways }: { readonly ways: ConfirmationWays }) {
  const [url, setUrl] = useState<string>()
  return (
    <>
      <h2>Export your data</h2>
      <p>
        One ZIP file with everything of yours: your profile, posts and drafts with all versions and files, comments,
        sales, subscribers and settings, and the texts you bought. Save images and files of posts you bought from their
        pages. A README inside says what each file is.
      </p>
      {url === undefined ? (
        <Confirmation
          ways={ways}
          purpose="export"
          submit="Export"
          send={async (body) => {
            const reply = await callApi(startExport, { body })
            if (!('url' in reply)) return false
            setUrl(reply.url)
            startDownload(reply.url)
            return true
          }}
        />
      ) : (
        <p role="status" class="notice">
          Your download has started. If it breaks off,{' '}
          <a href={url} download>
            download it again
          </a>
          : up to three times within an hour.
        </p>
      )}
    </>
  )
}

/** Saves the export as a file. This page stays open, even if the download is refused. */
function startDownload(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
