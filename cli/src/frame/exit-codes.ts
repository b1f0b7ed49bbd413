/** Exit codes, as `pennypost help exit-codes` and docs/cli.md list them. Numbers stay what they are: scripts depend on them. */
export const exitCodes = {
  fine: { code: 0, meaning: 'It worked' },
  failed: { code: 1, meaning: 'It failed, for a reason that is not in this list' },
  usage: { code: 2, meaning: 'The command line is wrong. Nothing was done' },
  signedOut: { code: 3, meaning: 'You are not signed in, or a key is missing, expired or revoked' },
  refused: { code: 4, meaning: 'The service refused it, or it does not exist' },
  payment: { code: 5, meaning: 'It has to be paid for, or costs more than your limit. Nothing was paid' },
  uncertain: { code: 6, meaning: 'A payment may have gone through. Run the same command again; it never pays twice' },
  unreachable: { code: 7, meaning: 'The service cannot be reached, or is overloaded. Try again later' },
  interrupted: { code: 130, meaning: 'Interrupted with Ctrl-C. Run it again to continue' },
} as const

export type ExitName = keyof typeof exitCodes
