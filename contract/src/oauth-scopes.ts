/** The permissions that a person can give to a program, in the words of the consent page and the settings. */
export const oauthScopes = {
  read: {
    title: 'Read what you can read',
    description: 'Your library, the posts you bought, your notifications, follows and saved posts.',
  },
  interact: {
    title: 'Comment, react, follow and save in your name',
    description: 'It can also start purchases and tips. They are paid from a wallet, never by this service.',
  },
  publish: {
    title: 'Write and publish in your name',
    description: 'Drafts, posts with their prices, images and files, and your public profile.',
  },
  earnings: {
    title: 'See what you earn and spend',
    description: 'Sales, tips, purchases and payouts. It cannot change them.',
  },
} as const

export type OAuthScope = keyof typeof oauthScopes
export const scopeNames = Object.keys(oauthScopes) as readonly OAuthScope[]
export const isScope = (text: string): text is OAuthScope => Object.hasOwn(oauthScopes, text)
