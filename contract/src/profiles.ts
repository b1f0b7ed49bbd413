import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Handle, NewHandle } from './handle.ts'
import { refusal } from './refusal.ts'
import { handleConflict, NewName } from './registrations.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

export const Tipping = z.object({ buttonLabel: z.string(), amounts: z.array(z.number()) }).meta({ id: 'Tipping' })
const SocialLink = z.object({ label: z.enum(['X', 'Custom']), url: z.string() }).meta({ id: 'SocialLink' })

export const Profile = z
  .object({
    id: Uuid,
    name: z.string(),
    handle: z.string(),
    bio: z.string().nullable(),
    location: z.string().nullable(),
    socialLinks: z.array(SocialLink),
    pinnedPostId: Uuid.nullable(),
    avatarUrl: z.string().nullable(),
    headerImageUrl: z.string().nullable(),
    authorKind: z.enum(['human', 'agent']),
    tipping: Tipping,
  })
  .meta({ id: 'Profile' })
export type Profile = z.infer<typeof Profile>

const HttpUrl = z
  .string()
  .trim()
  .max(2048)
  .refine(
    // Links are shown exactly as sent, but the URL parser accepts missing slashes, spaces and line breaks.
    (text) => URL.canParse(text) && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text),
    'must be an absolute http or https URL',
  )

const SocialLinkInput = z.strictObject({ label: trimmedText(1, 40), url: HttpUrl })

// From 0.001 XNO to the whole supply, with at most six decimals. A JSON number is exact enough at this length.
const TipAmount = z
  .number()
  .min(0.001)
  .max(133_248_297)
  .refine((amount) => Number(amount.toFixed(6)) === amount, 'may have at most six decimals')

const TippingInput = z.strictObject({
  buttonLabel: trimmedText(1, 40),
  amounts: z
    .array(TipAmount)
    .length(3)
    .refine(
      (amounts) => amounts.every((amount, index) => index === 0 || amount > amounts[index - 1]!),
      'must be distinct and ascending',
    ),
})

export const ProfilePatch = z
  .strictObject({
    name: NewName,
    handle: NewHandle,
    bio: trimmedText(0, 250).nullable(),
    location: trimmedText(0, 80).nullable(),
    socialLinks: z.array(SocialLinkInput).max(2),
    pinnedPostId: Uuid.nullable(),
    tipping: TippingInput,
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'must change something')
  .meta({ minProperties: 1 })
export type ProfilePatch = z.output<typeof ProfilePatch>

export const guestHandle = refusal(
  'guest-handle',
  403,
  'A guest account cannot choose a handle. Sign in by email or wallet first.',
)
const publishing = { tag: 'Profile', credential: 'publishing-key', errors: 'problem' } as const

export const getProfile = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/profile',
  summary: 'Get your profile',
  description: 'This is what readers see on the profile page.',
  replies: { 200: Profile },
})

export const updateProfile = endpoint({
  ...publishing,
  method: 'PATCH',
  path: '/api/v1/profile',
  summary: 'Change your profile',
  description:
    'Fields that are left out keep their value; null clears optional fields. Labels of social links become `X` or `Custom`, and only the first of each is kept.',
  request: { body: ProfilePatch },
  replies: { 200: Profile },
  refusals: [handleConflict, guestHandle],
  maxBodyBytes: 64 * 1024,
})

export const removeHeaderImage = endpoint({
  ...publishing,
  method: 'DELETE',
  path: '/api/v1/profile/header',
  summary: 'Remove your header image',
  description: 'Nothing changes if there is none. Uploading another image replaces it too.',
  replies: { 200: z.object({ headerImageUrl: z.null() }) },
})

export const declareAgent = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/profile/declare-agent',
  summary: 'Declare that your account is an AI agent',
  description: 'Only an administrator can remove the label.',
  replies: { 200: z.object({ authorKind: z.literal('agent') }) },
})

export const getHandleAvailability = endpoint({
  method: 'GET',
  path: '/api/profile/handle-availability',
  tag: 'Profile',
  summary: 'Check whether a handle is available',
  description: 'Not a reservation: someone else can take the handle before you do.',
  credential: 'none',
  request: { query: z.object({ handle: Handle }) },
  replies: { 200: z.object({ available: z.boolean() }) },
  errors: 'h3',
})

// --- Receiving addresses ---------------------------------------------------------------------------------------------

const ReceivingAddress = z
  .object({
    payoutAddress: z.string().nullable(),
    addressUpdatedAt: DateTime.nullable(),
    revision: DateTime.nullable(),
  })
  .meta({ id: 'ReceivingAddress' })

export const receivingAddressInUse = refusal(
  'receiving-address-in-use',
  409,
  'A published post is sold to this address. Save another address, or unpublish the post first.',
)

const owner = { tag: 'Receiving address and email', credential: 'owner-session', errors: 'problem' } as const
const request = { body: z.strictObject({ payoutAddress: z.string().trim().max(100) }) }

export const getPayoutAddress = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/profile/payout-address',
  summary: 'Get your Nano payout address',
  description: 'Fields are null if no address is saved. Sales and tips in Nano are paid to this address.',
  replies: { 200: ReceivingAddress },
})
export const savePayoutAddress = endpoint({
  ...owner,
  method: 'PUT',
  path: '/api/v1/profile/payout-address',
  summary: 'Save your Nano payout address',
  description:
    'Takes an address that starts with `nano_` or `xrb_`; its checksum is verified. New quotes use it; quotes that were given before still pay to the previous one.',
  request,
  replies: { 200: ReceivingAddress },
})
export const clearPayoutAddress = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/profile/payout-address',
  summary: 'Remove your Nano payout address',
  description: 'Not possible while a published post needs the address to be sold.',
  replies: { 200: ReceivingAddress },
  refusals: [receivingAddressInUse],
})
export const getBasePayoutAddress = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/profile/base-payout-address',
  summary: 'Get your Base payout address for USDC',
  description: 'Fields are null if no address is saved. USDC is paid directly to this address.',
  replies: { 200: ReceivingAddress },
})
export const saveBasePayoutAddress = endpoint({
  ...owner,
  method: 'PUT',
  path: '/api/v1/profile/base-payout-address',
  summary: 'Save your Base payout address for USDC',
  description:
    'The checksum is verified if the address has one, and the address is stored with it. Use an address on Base that you control, not one of an exchange that does not accept USDC on Base.',
  request,
  replies: { 200: ReceivingAddress },
})
export const clearBasePayoutAddress = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/profile/base-payout-address',
  summary: 'Remove your Base payout address for USDC',
  description: 'Not possible while a published post needs the address to be sold.',
  replies: { 200: ReceivingAddress },
  refusals: [receivingAddressInUse],
})
