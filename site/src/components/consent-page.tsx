interface AskedScope {
  readonly name: string
  readonly title: string
  readonly description: string
}

export interface ConsentPageProps {
  readonly siteName: string
  /** The handle of the account that is signed in. */
  readonly handle: string
  /** The name that the program gives itself. Anyone can call themselves anything. */
  readonly programName: string | null
  /** The host that describes the program, if that was checked. */
  readonly programHost: string | null
  /** Where the browser goes with the decision. */
  readonly returnsTo: { readonly kind: 'site' | 'loopback' | 'app'; readonly place: string }
  readonly scopes: readonly AskedScope[]
  /** The sealed request. */
  readonly consent: string
}

/** Asks whether a program may act for the person who is signed in. Works without scripts. */
export const ConsentPage = (props: ConsentPageProps) => {
  const { siteName, handle, programName, programHost, returnsTo, scopes, consent } = props
  const asker = programHost ?? (returnsTo.kind === 'site' ? returnsTo.place : capitalize(placeWords(returnsTo)))
  return (
    <main id="main" class="app narrow consent">
      <h1>Connect a program?</h1>
      <p class="lead">
        <b>{asker}</b> wants to use {siteName} as <b>@{handle}</b>.
      </p>
      <dl>
        <dt>It calls itself</dt>
        <dd>
          {programName === null ? (
            'It gave no name.'
          ) : (
            <>
              <bdi>{programName}</bdi> <span class="badge">not verified</span>
            </>
          )}
        </dd>
        <dt>You go back to</dt>
        <dd>{placeWords(returnsTo)}</dd>
      </dl>
      {returnsTo.kind !== 'site' && (
        <p class="notice">
          Programs on this device can claim any name. Allow this only if you have just started to connect one yourself.
        </p>
      )}
      <form method="post" action="/oauth/authorize">
        <h2>It will be able to</h2>
        <Permissions scopes={scopes} />
        <h2>It will never be able to</h2>
        <p>
          Spend your money, change where your earnings go, see or change your email address, wallets, keys and sessions,
          export or delete your account, or act as an administrator.
        </p>
        <input type="hidden" name="request" value={consent} />
        <div class="row">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button class="quiet-button" type="submit" name="decision" value="decline">
            Decline
          </button>
        </div>
      </form>
      <p class="quiet">
        You can disconnect it at any time, in <a href="/settings/programs">your settings</a>.
      </p>
    </main>
  )
}

/** The requested scopes. If there are several, the person can leave some out. */
const Permissions = ({ scopes }: Pick<ConsentPageProps, 'scopes'>) => (
  <ul class="permissions">
    {scopes.map(({ name, title, description }) => (
      <li key={name}>
        {scopes.length > 1 ? (
          <label>
            <input type="checkbox" name="scope" value={name} checked />
            <span>
              <b>{title}.</b> {description}
            </span>
          </label>
        ) : (
          <>
            <b>{title}.</b> {description}
          </>
        )}
      </li>
    ))}
  </ul>
)

function placeWords({ kind, place }: ConsentPageProps['returnsTo']): string {
  if (kind === 'loopback') return `a program on this device (${place})`
  return kind === 'app' ? `the app ${place}` : place
}

const capitalize = (words: string): string => words[0]!.toUpperCase() + words.slice(1)

interface RequestErrorPageProps {
  readonly description: string
  /** The URL of the program, with the error. */
  readonly location: string
  readonly place: string
}

/** Says what is wrong with a program's request. The person decides whether to go back to it. */
export const RequestErrorPage = ({ description, location, place }: RequestErrorPageProps) => (
  <main id="main" class="app narrow">
    <h1>This program cannot be connected</h1>
    <p class="lead">Its request is not valid: {description}</p>
    <p>
      <a class="button" href={location} rel="noreferrer">
        Go back to {place}
      </a>
    </p>
  </main>
)
