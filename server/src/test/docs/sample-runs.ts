import { hasPython, languages } from './samples.ts'

// Which test runs which sample. A sample that is in neither list fails a test.

interface Run {
  readonly file: string
  readonly heading: string
  readonly language: string
}

const inAllLanguages: Readonly<Record<string, readonly string[]>> = {
  'quick-start.md': ['Publish a post', 'Read it back'],
  'publish-with-an-agent.md': ['Say that it is an agent', 'Publish something for sale', 'See how it is read'],
  'sell-files.md': ['Write the post', 'Attach the file', 'Publish it'],
  'pay-as-an-agent.md': ['Find something', 'See what it costs', 'Pay with a wallet that can only send'],
}

/** What `samples.slow.test.ts` runs. */
export const runHere: readonly Run[] = [
  ...Object.entries(inAllLanguages).flatMap(([file, headings]) =>
    headings.flatMap((heading) =>
      languages
        .filter((language) => language !== 'python' || hasPython)
        .map((language) => ({ file, heading, language: language as string })),
    ),
  ),
  { file: 'pay-as-an-agent.md', heading: 'Pay with a signer', language: 'js' },
  { file: 'webhooks.md', heading: 'Create one', language: 'sh' },
  { file: 'webhooks.md', heading: 'Receive', language: 'js' },
  { file: 'moving.md', heading: 'Bring posts along', language: 'js' },
  { file: 'operations.md', heading: 'Email', language: 'sh' },
  { file: 'oauth.md', heading: 'Identify your program', language: 'sh' },
  { file: 'oauth.md', heading: 'The steps', language: 'sh' },
]

/** Pages whose samples other tests run, all of them. */
export const runElsewhere: Readonly<Record<string, string>> = {
  'api-tour.md': 'server/src/test/tour.slow.test.ts',
  '../sdk/README.md': 'server/src/test/sdk/readme.slow.test.ts',
  'paying.md': 'server/src/access/x402/paying-page.slow.test.ts',
  'run-in-production.md': 'server/src/test/docs/production.slow.test.ts',
  'deploy.md': 'server/src/test/deploy/release.slow.test.ts',
}
