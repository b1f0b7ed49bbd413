/** The environment variables that the program reads, for help and docs/cli.md. */
export const environment: Readonly<Record<string, string>> = {
  PENNYPOST_URL: 'The service, such as https://pennypost.example',
  PENNYPOST_PROFILE: 'The profile to use instead of `default`',
  PENNYPOST_KEY: 'A publishing key',
  PENNYPOST_KEY_FILE: 'A file that contains a publishing key',
  PENNYPOST_NANO_SEED_FILE: 'A file with the seed of your Nano wallet, 64 hexadecimal digits, to pay with',
  PENNYPOST_NANO_INDEX: 'The number of the account of that seed (0)',
  PENNYPOST_NANO_NODE: 'The RPC address of a Nano node, which is asked for the balance of your account',
  PENNYPOST_BASE_KEY_FILE: 'A file with the private key of your wallet on Base, to pay in USDC with',
  PENNYPOST_DAILY_LIMIT:
    'The most to spend in 24 hours with this profile at one service, such as 1USDC,5XNO. Other currencies are not spent',
  PENNYPOST_ALLOW_HTTP: 'With 1, services without HTTPS are accepted that are not on this machine',
  PENNYPOST_CONFIG_DIR: 'Where profiles are kept (`$XDG_CONFIG_HOME/pennypost` or `~/.config/pennypost`)',
  NO_COLOR: 'If set, nothing is coloured',
}
